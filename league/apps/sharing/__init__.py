"""What leaves the house: feeds, calendars, pictures, frames for other sites, and what machines look for."""
