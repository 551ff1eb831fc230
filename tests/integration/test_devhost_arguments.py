"""What the local host says to wrong words."""

from pathlib import Path

from tests.support.running import RunningHost
from tools.dev.paths import ROOT


def test_host_on_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with RunningHost(ROOT, {}, options=["--app", str(tmp_path / "nowhere")], ready=False) as host:
        assert host.wait() == 2
        assert host.lines()[-1].endswith(f"there is no folder {tmp_path / 'nowhere'}")


def test_host_told_to_load_an_unknown_function_names_it(tmp_path: Path) -> None:
    with RunningHost(ROOT, {}, functions=["health", "helth"]) as host:
        host.wait_line(r"The app has no function named helth\.")
        assert host.terminate() == 0
