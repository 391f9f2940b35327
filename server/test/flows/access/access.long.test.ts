import { onEachEngine } from '../../kit/engines.ts';
import { defineAccess } from './access.ts';

onEachEngine('who may do what', defineAccess);
