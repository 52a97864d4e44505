"""Slots: what is known about a customer, what a text asks them for, and whether that was answered before."""

from planner.slot_known import asks_again, known_slots
from planner.slot_questions import SlotQuestion, slot_questions

__all__ = ["SlotQuestion", "asks_again", "known_slots", "slot_questions"]
