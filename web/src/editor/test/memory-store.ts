import { TabStore } from '../collab/tab-store.ts';

/** A store in memory that counts as one of the device, whose writes of edits can be made to fail. */
export class MemoryStore extends TabStore {
  override readonly isDurable = true;
  failure: Error | null = null;

  override async append(...edit: Parameters<TabStore['append']>): Promise<void> {
    if (this.failure !== null) throw this.failure;
    await super.append(...edit);
  }
}
