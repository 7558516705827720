"""Live updates: what happens reaches every open page, without any page asking again and again."""
