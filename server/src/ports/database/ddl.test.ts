import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ddlFor } from './ddl.ts';

describe('DDL', () => {
  const cases: [what: string, ddl: string, sqlite: string, postgres: string][] = [
    [
      'types follow column names',
      'create table t (id uuid primary key, n bigint not null, b bytea, s text, d double  precision)',
      'create table t (id TEXT primary key, n INTEGER not null, b BLOB, s TEXT, d REAL) strict',
      'create table t (id uuid primary key, n bigint not null, b bytea, s text collate "C", d double  precision)',
    ],
    [
      'columns named like types keep their names',
      'create table t (uuid uuid, "text" text, text text, primary key (uuid, text)); create index i on t (text, uuid)',
      'create table t (uuid TEXT, "text" TEXT, text TEXT, primary key (uuid, text)) strict; create index i on t (text, uuid)',
      'create table t (uuid uuid, "text" text collate "C", text text collate "C", primary key (uuid, text)); create index i on t (text, uuid)',
    ],
    [
      'added columns have types too',
      'alter table t add column text text; alter table t add column uuid uuid',
      'alter table t add column text TEXT; alter table t add column uuid TEXT',
      'alter table t add column text text collate "C"; alter table t add column uuid uuid',
    ],
    [
      'comments, strings and checks are left alone',
      "create table t ( -- of text; bytea\n a text /* a bigint; */ default 'x; y text' check (length(a) < 10))",
      "create table t ( -- of text; bytea\n a TEXT /* a bigint; */ default 'x; y text' check (length(a) < 10)) strict",
      `create table t ( -- of text; bytea\n a text collate "C" /* a bigint; */ default 'x; y text' check (length(a) < 10))`,
    ],
    [
      'a comment behind a table does not swallow that it is strict',
      'create table t (a uuid) -- the end',
      'create table t (a TEXT) strict -- the end',
      'create table t (a uuid) -- the end',
    ],
    [
      'words in upper case, and tables made only if they are not there',
      'CREATE TABLE IF NOT EXISTS t (a TEXT, b BYTEA);\n',
      'CREATE TABLE IF NOT EXISTS t (a TEXT, b BLOB) strict;\n',
      'CREATE TABLE IF NOT EXISTS t (a text collate "C", b BYTEA);\n',
    ],
  ];
  for (const [what, ddl, sqlite, postgres] of cases) {
    test(what, () => {
      assert.equal(ddlFor('sqlite', ddl), sqlite);
      assert.equal(ddlFor('postgres', ddl), postgres);
    });
  }
});
