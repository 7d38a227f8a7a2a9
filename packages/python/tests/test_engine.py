"""Tests of the module with the program that the environment variable KAESHI names (default: the installed one)."""

import asyncio
import os
import shlex
import subprocess
import sys
import threading
import time
import unittest

import kaeshi
from kaeshi._protocol import Reports, parse_line

PROGRAM = shlex.split(os.environ["KAESHI"]) if "KAESHI" in os.environ else None
SMALL = {"Hash": 16, "OwnBook": False}
NODES = kaeshi.Limit(nodes=300)


class EngineTest(unittest.TestCase):
    def test_plays_analyses_and_stops(self) -> None:
        with kaeshi.Engine("shogi", program=PROGRAM, options=SMALL) as engine:
            self.assertRegex(engine.name, "^Kaeshi ")
            result = engine.play(["7g7f", "3c3d"], NODES)
            self.assertRegex(result.move, "^[1-9PLNSGBR]")
            self.assertEqual(result.line.moves[0], result.move)
            lines = engine.analyse(["7g7f"], NODES, lines=3)
            self.assertEqual([line.number for line in lines], [1, 2, 3])
            self.assertEqual(len(engine.play([], NODES).lines), 1)
            with engine.go(["7g7f"]) as search:
                for line in search:
                    if line.depth >= 2:
                        break
                self.assertRegex(search.stop().move, "^[1-9]")
                self.assertEqual(search.stop(), search.result())

    def test_stop_comes_from_another_thread(self) -> None:
        with kaeshi.Engine("reversi", program=PROGRAM, options=SMALL) as engine:
            search = engine.go()
            threading.Timer(0.3, search.stop).start()
            self.assertRegex(search.result().move, "^[a-h][1-8]$")
            engine.go()
            self.assertRegex(engine.play(["f5"], NODES).move, "^[a-h][1-8]$")

    def test_refusals_are_exceptions(self) -> None:
        with kaeshi.Engine("shogi", program=PROGRAM, options=SMALL) as engine:
            for moves, start in ((["7g7f", "7g7f"], None), (["xx", "7g7f"], None), ([], "no position")):
                with self.assertRaises(kaeshi.PositionError):
                    engine.play(moves, NODES, start=start)
            for name, value in (("NoSuch", 1), ("Hash", "x"), ("Hash", 0)):
                with self.assertRaises(kaeshi.OptionError):
                    engine.set_option(name, value)
            for text in ("startpos\nquit", "a\rb"):
                with self.assertRaises(ValueError):
                    engine.play([text], NODES)
            for limit in (kaeshi.Limit(nodes=-1), kaeshi.Limit()):
                with self.assertRaises(ValueError):
                    engine.play([], limit)
                with self.assertRaises(ValueError):
                    engine.analyse([], limit)
            self.assertRegex(engine.play([], NODES).move, "^[1-9]")

    def test_outcome(self) -> None:
        with kaeshi.Engine("sygo", program=PROGRAM, options={"BoardSize": 3}) as engine:
            moves = []
            while engine.outcome(moves) is None:
                moves.append(engine.play(moves, NODES).move)
            self.assertIn(engine.outcome(moves), ("p1win", "p2win", "draw"))
        with kaeshi.Engine("shogi", program=PROGRAM) as engine:
            self.assertEqual(engine.outcome(["7g7f", "7g7f"]), "p1win")
            with self.assertRaises(kaeshi.PositionError):
                engine.outcome(["1a1b", "7g7f"])

    def test_an_engine_that_ends_or_does_not_start(self) -> None:
        with self.assertRaises(kaeshi.EngineError):
            kaeshi.Engine(program=[sys.executable, "-c", "pass"])
        with self.assertRaises(kaeshi.EngineError):
            kaeshi.Engine(program="no/such/program")
        with self.assertRaises(ValueError):
            kaeshi.Engine("chess")  # type: ignore[arg-type]
        engine = kaeshi.Engine("reversi", program=PROGRAM)
        engine.close()
        engine.close()
        with self.assertRaises(kaeshi.EngineError):
            engine.play()

    @unittest.skipIf(PROGRAM, "the program is not that of the installation")
    def test_the_program_is_that_of_the_wheel(self) -> None:
        self.assertTrue(kaeshi.program().startswith(sys.prefix))
        found = [subprocess.run([*start, "--version"], check=True, capture_output=True, text=True).stdout
                 for start in ([kaeshi.program()], [sys.executable, "-m", "kaeshi"])]
        self.assertRegex(found[0], "^kaeshi ")
        self.assertEqual(*found)


class AsyncEngineTest(unittest.IsolatedAsyncioTestCase):
    async def test_plays_analyses_and_stops(self) -> None:
        async with kaeshi.AsyncEngine("sygo", program=PROGRAM, options={"BoardSize": 7}) as engine:
            self.assertEqual(len(await engine.analyse([], NODES, lines=2)), 2)
            move = (await engine.play([], NODES)).move
            self.assertIsNone(await engine.outcome([move]))
            search = await engine.go([move])
            async for line in search:
                if line.depth >= 2:
                    break
            self.assertNotIn((await search.stop()).move, ("none", "resign"))
            with self.assertRaises(kaeshi.OptionError):
                await engine.set_option("Hash", "x")
            with self.assertRaises(kaeshi.PositionError):
                await engine.play(["zz"], NODES)
            with self.assertRaises(ValueError):
                await engine.play([], kaeshi.Limit())

    async def test_two_engines_think_at_once(self) -> None:
        async with kaeshi.AsyncEngine("reversi", program=PROGRAM) as one:
            async with kaeshi.AsyncEngine("reversi", program=PROGRAM) as other:
                begun = time.monotonic()
                limit = kaeshi.Limit(movetime=1500)
                results = await asyncio.gather(one.play([], limit), other.play([], limit))
                self.assertLess(time.monotonic() - begun, 2.9)
                self.assertEqual(len({result.move for result in results} - {"none"}) > 0, True)

    async def test_an_engine_that_ends_or_does_not_start(self) -> None:
        with self.assertRaises(kaeshi.EngineError):
            await kaeshi.AsyncEngine(program=[sys.executable, "-c", "pass"]).open()
        with self.assertRaises(kaeshi.EngineError):
            await kaeshi.AsyncEngine(program="no/such/program").open()
        with self.assertRaises(kaeshi.EngineError):
            await kaeshi.AsyncEngine(program=PROGRAM).play()


class ProtocolTest(unittest.TestCase):
    def test_lines(self) -> None:
        line = parse_line("info depth 7 seldepth 9 multipv 2 score cp -30 lowerbound nodes 10 time 3 pv 7g7f 3c3d")
        self.assertEqual(line, kaeshi.Line(("7g7f", "3c3d"), 7, -30, None, "lower", 2, 10, 3))
        self.assertEqual(parse_line("info depth 0 score mate -0"), kaeshi.Line((), 0, None, 0))
        for text in ("info string depth 3 score cp 1", "info depth 3", "info score cp", "info score cp x", "", "info"):
            self.assertIsNone(parse_line(text), text)

    def test_a_bound_does_not_replace_an_exact_score(self) -> None:
        reports = Reports()
        for text in ("info depth 3 score cp 5 pv a1", "info depth 4 score cp 90 lowerbound pv b1"):
            reports.take(text)
        self.assertEqual(reports.take("bestmove a1 ponder b2"),
                         kaeshi.Result("a1", "b2", (kaeshi.Line(("a1",), 3, 5),)))

    def test_limits(self) -> None:
        self.assertEqual(kaeshi.Limit().words(), "infinite")
        self.assertEqual(kaeshi.Limit(time=(1000, 2000), increment=(5, 5), byoyomi=30).words(),
                         "byoyomi 30 p1time 1000 p2time 2000 p1inc 5 p2inc 5")


if __name__ == "__main__":
    unittest.main()
