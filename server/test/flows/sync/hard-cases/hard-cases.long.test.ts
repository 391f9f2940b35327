import { onEachEngine } from '../../../kit/engines.ts';
import { defineHardCases } from './hard-cases.ts';

onEachEngine('hard cases of folder sync', defineHardCases);
