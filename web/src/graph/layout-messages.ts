import type { LayoutInput } from './model/layout.ts';

export interface LayoutRequest extends LayoutInput {
  readonly steps: number;
}

export interface LayoutAnswer {
  readonly positions: Float32Array<ArrayBuffer>;
  readonly isDone: boolean;
}
