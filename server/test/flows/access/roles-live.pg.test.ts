import { onEachEngine } from '../../kit/engines.ts';
import { defineRolesLive } from './roles-live.ts';

// matrices.full.test.ts tries one credential of each reach.
onEachEngine('every message of the sockets', (open) => defineRolesLive(open, ({ isSession }) => isSession));
