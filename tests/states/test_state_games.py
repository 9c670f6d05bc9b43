"""Random games of contexts with states, compared to the same steps with outputs passed back as inputs. Their number is
LINNET_STATE_GAMES (300). All: LINNET_STATE_GAMES=10000, or bin/state_games 10000."""

import os
import subprocess

from locations import BUILD

GAMES = int(os.environ.get("LINNET_STATE_GAMES", 300))


def test_states_give_the_bits_of_outputs_fed_back_by_hand():
    result = subprocess.run([BUILD / "bin" / "state_games", str(GAMES)], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    assert result.stdout.split()[:2] == [str(GAMES), "games,"]
