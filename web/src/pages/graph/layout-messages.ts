import type { LayoutInput } from './model/layout.ts';

export interface LayoutRequest extends LayoutInput {
  /** Names the request; its answers have it too. */
  readonly run: number;
  readonly steps: number;
}

export interface LayoutAnswer {
  readonly run: number;
  readonly positions: Float32Array<ArrayBuffer>;
  readonly isDone: boolean;
}
