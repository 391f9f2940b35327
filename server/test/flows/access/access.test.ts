import { onSqlite } from '../../kit/engines.ts';
import { defineAccess } from './access.ts';

// access.long.test.ts runs them on PostgreSQL too.
onSqlite('who may do what', defineAccess);
