import { ManualClock, type StandInClock, seededRandom } from './clock.ts';
import { Disk, type DiskRules } from './disk.ts';

/**
 * Faults of a device and its app; none by default. Each `…In` is an average interval: the fault occurs once in this
 * many calls, 0 for never.
 */
export interface Faults {
  /** Events of the vault come up to this much late. */
  readonly lateEventMs: number;
  /** An event of a change from outside never comes. */
  readonly lostEventIn: number;
  /** A file that was just written has the size 0 for a minute (hesprs/sync-engine#178, Android). */
  readonly sizeZeroIn: number;
  /** The disk takes up to this long for each step. */
  readonly diskMs: number;
  /** `Vault.create` makes an empty file and reports no error (the same thread). */
  readonly emptyCreateIn: number;
}

export interface DeviceOptions extends Partial<DiskRules>, Partial<Faults> {
  readonly platform?: 'desktop' | 'android' | 'ios';
  readonly clock?: StandInClock;
  readonly seed?: number;
  /** Contents of the disk, from `Disk.saved`. */
  readonly saved?: string;
}

/** State that outlives the app: disk, web view storage and secrets, with their faults. */
export class Device {
  readonly platform: 'desktop' | 'android' | 'ios';
  readonly clock: StandInClock;
  readonly random: () => number;
  readonly disk: Disk;
  readonly localStorage = new Map<string, string>();
  readonly secrets = new Map<string, string>();
  faults: Faults;

  constructor(options: DeviceOptions = {}) {
    this.platform = options.platform ?? 'desktop';
    this.clock = options.clock ?? new ManualClock();
    this.random = seededRandom(options.seed ?? 1);
    const { foldsCase = this.platform !== 'android', decomposes = false } = options;
    this.disk = new Disk({ foldsCase, decomposes }, () => this.clock.now(), options.saved);
    const { lateEventMs = 0, lostEventIn = 0, sizeZeroIn = 0, emptyCreateIn = 0, diskMs = 0 } = options;
    this.faults = { lateEventMs, lostEventIn, sizeZeroIn, emptyCreateIn, diskMs };
  }

  get isMobile(): boolean {
    return this.platform !== 'desktop';
  }

  /** Returns whether this is the one time in so many. */
  isOnceIn(times: number): boolean {
    return times > 0 && this.random() * times < 1;
  }

  /** Waits as a step of the disk takes. */
  diskTurn(): Promise<void> {
    const { diskMs } = this.faults;
    if (diskMs === 0) return Promise.resolve();
    return new Promise((resolve) => this.clock.setTimeout(resolve, Math.ceil(this.random() * diskMs)));
  }

  /** iOS removes what a web view stores: when the disk is full, after a kill, at a restart (FNS#226, dayGLANCE#1584). */
  purgeStorage(): void {
    this.localStorage.clear();
    this.secrets.clear();
  }
}
