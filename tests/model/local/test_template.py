from __future__ import annotations

import pytest

from fiducial.model.local.template import added_system


def chatml(system: str) -> tuple[str, str]:
    head = f"<|im_start|>system\n{system}<|im_end|>\n" if system else ""
    one = f"{head}<|im_start|>user\n<<1>><|im_end|>\n<|im_start|>assistant\n"
    return one, f"{one}<<2>><|im_end|>\n<|im_start|>user\n<<3>><|im_end|>\n<|im_start|>assistant\n"


def test_a_system_message_that_the_template_adds_is_found() -> None:
    assert added_system(*chatml("You are Tim, a large model.")) == "You are Tim, a large model."


@pytest.mark.parametrize(
    ("one", "three"),
    [
        chatml(""),
        ("<s>[INST] <<1>> [/INST]", "<s>[INST] <<1>> [/INST] <<2>></s><s>[INST] <<3>> [/INST]"),
        (
            "<bos><turn>user\n<<1>><end>\n",
            "<bos><turn>user\n<<1>><end>\n<turn>model\n<<2>><end>\n<turn>user\n<<3>>",
        ),
        ("User: <<1>>\nAssistant:", "User: <<1>>\nAssistant: <<2>>\nUser: <<3>>\nAssistant:"),
    ],
)
def test_turn_markers_and_begin_tokens_are_not_a_system_message(one: str, three: str) -> None:
    assert added_system(one, three) is None


def test_a_date_that_the_template_adds_is_found() -> None:
    head = "<|begin|><|head|>system<|/head|>\n\nToday Date: 26 Jul 2024\n\n<|eot|>"
    turn = "<|head|>user<|/head|>\n\n"
    one = f"{head}{turn}<<1>><|eot|>"
    three = f"{one}<|head|>assistant<|/head|>\n\n<<2>><|eot|>{turn}<<3>><|eot|>"
    assert added_system(one, three) == "Today Date: 26 Jul 2024"
