# What OpenBench, shogitest and other programs that build engines call: make EXE=NAME puts the program there.
# Everybody else uses cargo.
EXE ?= kaeshi

ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif

.PHONY: all
all:
	cargo build --release --locked
	cp target/release/kaeshi$(SUFFIX) "$(patsubst %.exe,%,$(EXE))$(SUFFIX)"
