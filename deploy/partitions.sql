-- Partitions the large tables of a site by league, in one transaction, with the site stopped (docs/operators/scaling.md):
--   psql --single-transaction --set ON_ERROR_STOP=1 --file deploy/partitions.sql "$DATABASE_URL"

-- 1. Add the league to the primary keys of a league's tables, and to the foreign keys between them.
CREATE TEMP TABLE of_league ON COMMIT DROP AS
SELECT c.conrelid::regclass AS name, c.conname AS primary_key
  FROM pg_constraint c
  JOIN pg_attribute i ON i.attrelid = c.conrelid AND i.attname = 'id' AND c.conkey = ARRAY[i.attnum]
  JOIN pg_attribute l ON l.attrelid = c.conrelid AND l.attname = 'league_id'
 WHERE c.contype = 'p' AND c.connamespace = current_schema()::regnamespace;

DO $$
DECLARE
  statement text;
  foreign_keys text[] := ARRAY(
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I FOREIGN KEY (league_id, %I) REFERENCES %s (league_id, id)'
                  ' DEFERRABLE INITIALLY DEFERRED', c.conrelid::regclass, c.conname, a.attname, t.name)
      FROM pg_constraint c
      JOIN of_league t ON t.name = c.confrelid
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]);
BEGIN
  FOR statement IN SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE, ADD PRIMARY KEY (id, league_id)',
                                 name, primary_key) FROM of_league
  LOOP EXECUTE statement; END LOOP;
  FOREACH statement IN ARRAY foreign_keys LOOP EXECUTE statement; END LOOP;
END $$;

-- 2. Partition the large tables. Their keys, indexes and triggers are created again under the same names.
CREATE FUNCTION pg_temp.divide(divided regclass, parts integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  table_name text := divided::text;
  statement text;
  definitions text[] := ARRAY(
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint
     WHERE divided IN (conrelid, confrelid) AND contype IN ('p', 'u', 'f') AND conparentid = 0
     ORDER BY contype = 'f')
    || ARRAY(SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = divided
                AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND conrelid = divided))
    || ARRAY(SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = divided AND NOT tgisinternal);
BEGIN
  EXECUTE format('ALTER TABLE %s RENAME TO undivided', table_name);
  EXECUTE format('CREATE TABLE %s (LIKE undivided INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING IDENTITY)'
                 ' PARTITION BY HASH (league_id)', table_name);
  FOR part IN 0 .. parts - 1 LOOP
    EXECUTE format('CREATE TABLE %s_%s PARTITION OF %s FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
                   table_name, part, table_name, parts, part);
  END LOOP;
  EXECUTE format('INSERT INTO %s SELECT * FROM undivided', table_name);
  EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, ''id''), max(id)) FROM %s', table_name, table_name);
  DROP TABLE undivided CASCADE;
  FOREACH statement IN ARRAY definitions LOOP EXECUTE statement; END LOOP;
END $$;

SELECT pg_temp.divide(name, 16)
  FROM unnest('{league_game,league_result,league_ratingchange,league_standing,league_logentry}'::regclass[]) AS name;
