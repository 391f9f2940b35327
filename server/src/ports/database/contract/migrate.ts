import { openPostgres } from '../postgres/postgres.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { CONTRACT_SCHEMA } from './statements.ts';

/* node contract.migrate.ts <file or URL>: one of several processes that start at the same time. */

const where = process.argv[2] ?? '';
await using db = await (where.startsWith('postgres:') ? openPostgres({ url: where }) : openSqlite({ file: where }));
await db.migrate(CONTRACT_SCHEMA);
