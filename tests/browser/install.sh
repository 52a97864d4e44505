#!/usr/bin/env bash
# The browser tests want Chromium and Chinese fonts. Install Debian's where that is allowed, else say the one command.
set -euo pipefail

missing=()
[ -n "${DRAFTGATE_BROWSER:-}" ] || command -v chromium >/dev/null || command -v google-chrome >/dev/null || missing+=(chromium)
command -v fc-list >/dev/null && [ -n "$(fc-list :lang=zh family)" ] || missing+=(fontconfig fonts-noto-cjk)
[ "${#missing[@]}" -gt 0 ] || exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  echo "installing ${missing[*]} for the browser tests (a minute or two, once)"
  if apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null; then
    exit 0
  fi
  echo "that did not work" >&2
fi
echo "the browser tests want ${missing[*]}: sudo apt-get install -y ${missing[*]}" >&2
[ -z "${CI:-}" ]  # where CI is set, a missing browser is a failure
