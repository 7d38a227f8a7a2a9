// Sounds of a game, made by the browser itself: a move, a capture, a check, little time left.
import { like, likes } from "./dialogs.js";

/** @typedef {"move" | "capture" | "check" | "time"} Sound */
/**
 * Tones of each sound: frequency in Hz, begin and length in seconds.
 * @type {Record<Sound, [number, number, number][]>}
 */
const TONES = {
  move: [[620, 0, 0.05]],
  capture: [[520, 0, 0.05], [380, 0.05, 0.07]],
  check: [[660, 0, 0.08], [880, 0.09, 0.12]],
  time: [[990, 0, 0.06]],
};

/** @type {AudioContext | null} */
let audio = null;

/** Whether sounds are made. */
export const sounds = () => likes("sound", true);

/** @param {boolean} on */
export const setSounds = (on) => like("sound", on);

/** @param {Sound} sound */
export function sound(sound) {
  // A browser makes no sound before the first click.
  if (!sounds() || !(/** @type {any} */ (navigator)).userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  for (const [frequency, begin, length] of TONES[sound]) {
    const tone = audio.createOscillator(), volume = audio.createGain(), start = audio.currentTime + begin;
    tone.type = "triangle";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.18, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + length);
  }
}
