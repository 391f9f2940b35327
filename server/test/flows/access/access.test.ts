import { onSqlite } from '../../kit/engines.ts';
import { defineAccess, oneOfEachRights } from './access.ts';

// matrices.full.test.ts asks with every credential.
onSqlite('who may do what', (open) => defineAccess(open, oneOfEachRights));
