# canary underspec-canary-7ac1f633-dc60-59f1-9c7a-7d819da21108
"""Which of several mistakes in a request is named."""

from program import check, error


def test_an_action_that_is_not_known_comes_before_everything(delivery):
    check(
        delivery,
        ({"action": "weigh", "value": "heavy"}, error("unknown_action")),
        ({"value": 1, "unit": "B", "to": "b"}, error("unknown_action")),
    )


def test_a_request_must_have_its_shape(delivery):
    check(
        delivery,
        ({"action": "convert", "value": 1, "unit": "B"}, error("bad_request")),
        ({"action": "convert", "value": True, "unit": "B", "to": "b"}, error("bad_request")),
        ({"action": "convert", "value": None, "unit": "B", "to": "b"}, error("bad_request")),
        ({"action": "round", "value": 1, "unit": "B", "how": "sideways"}, error("bad_request")),
    )


def test_the_shape_comes_before_the_system_and_the_system_before_units(delivery):
    check(
        delivery,
        ({"action": "best", "value": "1", "unit": "XB", "system": "roman"}, error("bad_request")),
        ({"action": "best", "value": 1, "unit": "XB", "system": "roman"}, error("unknown_system")),
        ({"action": "best", "value": 1, "unit": "XB"}, error("unknown_unit")),
    )


def test_a_mistake_in_one_request_is_none_of_the_next(delivery):
    check(
        delivery,
        ({"action": "calc", "op": "divide", "left": {"value": 1, "unit": "B"}, "right": 0}, error("division_by_zero")),
        ({"action": "convert", "value": 1, "unit": "B", "to": "b"}, "value=8\nunit=b\n"),
    )
