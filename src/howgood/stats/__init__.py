"""Statistics on arrays: no domain words, no data frames, no result objects.

In: NumPy arrays. Out: NumPy arrays. Absent: names of papers, people or models.
"""
