-- Run once by a new database server: Rungs connects as an ordinary role, which owns its database and may create the
-- scratch databases that prove backups.
\set password `cat /run/secrets/database_password`
CREATE ROLE rungs LOGIN CREATEDB PASSWORD :'password';
CREATE DATABASE rungs OWNER rungs;
