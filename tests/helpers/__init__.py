"""What tests build with: leagues, people, clients, servers."""
