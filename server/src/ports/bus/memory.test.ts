import { describe } from 'node:test';
import { busContract } from './bus.contract.ts';
import { MemoryHub } from './memory.ts';

describe('the bus within a process', () => {
  const hub = new MemoryHub();
  busContract(async () => hub.join());
});
