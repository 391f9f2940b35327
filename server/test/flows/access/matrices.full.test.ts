import { onSqlite } from '../../kit/engines.ts';
import { defineToolRoles } from '../../mcp/roles.ts';
import { defineAccess } from './access.ts';
import { defineReferences } from './references.ts';
import { defineRoles } from './roles.ts';
import { defineRolesLive } from './roles-live.ts';
import { oneOfEachReach } from './standings.ts';

// access.long.test.ts tries every credential everywhere, on PostgreSQL too.
onSqlite('who may do what, with every credential', defineAccess);
onSqlite('every operation that concerns a vault, with every credential', defineRoles);
onSqlite('every message of the sockets, with credentials of each reach', (open) =>
  defineRolesLive(open, oneOfEachReach),
);
onSqlite('every tool in a shared vault, with credentials of each reach', (open) =>
  defineToolRoles(open, oneOfEachReach),
);
onSqlite('[S1] every operation that names two things or more', defineReferences);
