import { type PDFPageProxy, TextLayer } from 'pdfjs-dist';
import './pdf-text.css';

/** Lays a page's text over its picture, so that it can be selected. In a file of its own, loaded with the first PDF. */
export async function drawPdfText(page: PDFPageProxy, place: HTMLElement): Promise<void> {
  place.replaceChildren();
  const viewport = page.getViewport({ scale: 1 });
  await new TextLayer({ textContentSource: page.streamTextContent(), container: place, viewport }).render();
}
