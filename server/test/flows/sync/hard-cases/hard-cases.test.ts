import { onSqlite } from '../../../kit/engines.ts';
import { defineHardCases } from './hard-cases.ts';

// hard-cases.long.test.ts runs them on PostgreSQL too.
onSqlite('hard cases of folder sync', defineHardCases);
