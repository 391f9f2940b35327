import type { FrozenSegment } from '@notevault/search-index/index/frozen-segment.ts';

/** The name of a frozen segment, under which its parts are stored. */
export interface SegmentName {
  readonly id: string;
  readonly parts: number;
  isStored: boolean;
}

export class SegmentNames {
  readonly #names = new Map<FrozenSegment, SegmentName>();

  addStored(segment: FrozenSegment, id: string, parts: number): void {
    this.#names.set(segment, { id, parts, isStored: true });
  }

  /** The names of segments, in the same order. Segments that are not listed lose theirs. */
  update(segments: readonly FrozenSegment[], nameOf: (segment: FrozenSegment) => SegmentName): SegmentName[] {
    const names = segments.map((segment) => {
      const name = this.#names.get(segment) ?? nameOf(segment);
      this.#names.set(segment, name);
      return name;
    });
    for (const segment of this.#names.keys()) if (!segments.includes(segment)) this.#names.delete(segment);
    return names;
  }

  segmentOf(id: string): FrozenSegment | undefined {
    for (const [segment, name] of this.#names) if (name.id === id) return segment;
    return undefined;
  }

  markStored(): void {
    for (const name of this.#names.values()) name.isStored = true;
  }
}
