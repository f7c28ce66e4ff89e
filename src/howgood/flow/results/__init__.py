"""What a study's answers say: fits in the background, their results, the library of cards."""
