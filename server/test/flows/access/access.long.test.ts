import { onEachEngine } from '../../kit/engines.ts';
import { defineToolRoles } from '../../mcp/roles.ts';
import { defineAccess } from './access.ts';
import { defineReferences } from './references.ts';
import { defineRoles } from './roles.ts';
import { defineRolesLive } from './roles-live.ts';
import { defineSlowMatrix } from './slow-matrix.ts';

for (const [title, define] of [
  ['who may do what', defineAccess],
  ['every operation that concerns a vault', defineRoles],
  ['every message of the sockets', defineRolesLive],
  ['every tool in a shared vault', defineToolRoles],
  ['an operation whose body ends after a right was taken away', defineSlowMatrix],
  ['[S1] an operation that names two things or more', defineReferences],
] as const) {
  onEachEngine(title, (open) => define(open));
}
