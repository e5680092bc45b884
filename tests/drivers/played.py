#!/usr/bin/env python3
"""played.py ABILITIES ON.SH PLAYER DEVICE...: whether PUMICE_PLAY=PLAYER is what drivers say of such devices.

ABILITIES (abilities.c) lists what a device can do: of each DEVICE by on.sh, of the machine's own device, and of that one
as it plays PLAYER. What is played has to have what both the own device and one of the DEVICEs have, and nothing that no
DEVICE has; of limits the smaller one, where the DEVICEs differ any of theirs. Ends with 77 where a driver is missing.
"""
import os
import subprocess
import sys

# What the masks have no word for, or is the runtime's own choice; lavapipe's device is the host, whose memory is one.
NOT_PLAYED = {"rebar", "device_map", "linear_images", "shared_maps", "capture_replay", "samples_packed", "samples_srgb",
              "rounds_texels", "filters", "host_image_copy"}


def abilities(command, environment):
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    if done.returncode == 77:
        print(done.stdout.strip())
        sys.exit(77)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
    lines = [line.split(" ", 2) for line in done.stdout.splitlines()]
    return {(kind, name): int(value) for kind, name, value in (line for line in lines if line[0] in ("ability", "limit"))}


def main():
    program, on_driver, player = sys.argv[1:4]
    compile_only = {"PUMICE_COMPILE_ONLY": "1", "PUMICE_PROBE": "0", "PUMICE_CACHE": "0"}
    true = [abilities([on_driver, device, program], {}) for device in sys.argv[4:]]
    own = abilities([program], compile_only)
    played = abilities([program], {**compile_only, "PUMICE_PLAY": player})
    wrong = 0
    for key, value in played.items():
        kind, name = key
        wanted = sorted({min(one[key], own[key]) for one in true})
        if name in NOT_PLAYED or value in wanted:
            continue
        wrong += 1
        print(f"{player}: {kind} {name} is {value}, and {' or '.join(map(str, wanted))} by {' or '.join(sys.argv[4:])}")
    print(f"{len(played)} compared, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
