import { foldEffect, foldedRanges, forceParsing, unfoldEffect } from '@codemirror/language';
import { type EditorView, type PluginValue, ViewPlugin } from '@codemirror/view';
import { embedDepth } from '../preview/nested.ts';
import type { Range } from '../preview/reveal.ts';
import { services } from './services.ts';

/**
 * CodeMirror's internal state for rendering a whole text for print. CodeMirror sets it itself when the media change,
 * but by then Chromium has counted the pages and cuts off the rest. An e2e flow that prints a long note fails if this
 * internal changes.
 */
interface PrintingView {
  readonly viewState: { printing: boolean };
  measure(): void;
}

const PARSE_MS = 5_000;
/**
 * How long printing waits for embedded notes, diagrams and images, in milliseconds; a message names those still
 * missing.
 */
const WAIT_MS = 15_000;

const printers = new Set<Printer>();
let isPrinting = false;

/** Renders the whole text of a view while it is printed, including folded sections. */
class Printer implements PluginValue {
  readonly view: EditorView;
  #folded: readonly Range[] = [];

  constructor(view: EditorView) {
    this.view = view;
    if (printers.size === 0) {
      addEventListener('beforeprint', drawAll);
      addEventListener('afterprint', endPrint);
    }
    printers.add(this);
    // An embedded note may load while the surrounding note waits to be printed.
    if (isPrinting) queueMicrotask(() => printers.has(this) && this.draw());
  }

  draw(): void {
    const { view } = this;
    const folded: Range[] = [];
    foldedRanges(view.state).between(0, view.state.doc.length, (from, to) => void folded.push({ from, to }));
    if (folded.length > 0) {
      this.#folded = folded;
      view.dispatch({ effects: folded.map((range) => unfoldEffect.of(range)) });
    }
    forceParsing(view, view.state.doc.length, PARSE_MS);
    // CodeMirror counts the elements above the text as part of it, and would omit the first block.
    const { style } = view.scrollDOM;
    const head = style.getPropertyValue('--nv-head');
    style.setProperty('--nv-head', '0px');
    setPrinting(view, true);
    style.setProperty('--nv-head', head);
    const { from, to } = view.viewport;
    const isWhole = from === 0 && to === view.state.doc.length && waitsFor(view).length === 0;
    const missing = view.state.facet(services)?.strings.printIncomplete ?? '';
    if (isWhole || view.state.facet(embedDepth) > 0) delete view.dom.dataset.missing;
    else view.dom.dataset.missing = missing;
  }

  end(): void {
    const { view } = this;
    const effects = this.#folded.filter(({ to }) => to <= view.state.doc.length).map((range) => foldEffect.of(range));
    this.#folded = [];
    delete view.dom.dataset.missing;
    setPrinting(view, false);
    if (effects.length > 0) view.dispatch({ effects });
  }

  destroy(): void {
    printers.delete(this);
    if (printers.size > 0) return;
    removeEventListener('beforeprint', drawAll);
    removeEventListener('afterprint', endPrint);
    isPrinting = false;
  }
}

function setPrinting(view: EditorView, isOn: boolean): void {
  const printing = view as unknown as PrintingView;
  printing.viewState.printing = isOn;
  printing.measure();
}

/** Returns the elements that are still loading: widgets and images. */
function waitsFor({ dom }: EditorView): readonly Element[] {
  return [
    ...dom.querySelectorAll('.nv-block[data-state=loading]'),
    ...[...dom.querySelectorAll('img')].filter(({ complete }) => !complete),
  ];
}

function drawAll(): void {
  isPrinting = true;
  for (const printer of printers) printer.draw();
}

function endPrint(): void {
  isPrinting = false;
  for (const printer of printers) printer.end();
}

/** Prints the page once everything in the view is rendered. Printing from the browser's menu cannot wait. */
export async function printView(view: EditorView): Promise<void> {
  const until = performance.now() + WAIT_MS;
  drawAll();
  while (view.dom.isConnected && waitsFor(view).length > 0 && performance.now() < until) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  if (view.dom.isConnected) window.print();
  else endPrint();
}

export const printing = ViewPlugin.fromClass(Printer);
