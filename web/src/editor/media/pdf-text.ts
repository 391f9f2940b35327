import { type PDFPageProxy, TextLayer } from 'pdfjs-dist';
import './pdf-text.css';

/** Puts the text of a page over its picture, to be selected. In a file of its own, which is loaded with the first PDF. */
export async function drawPdfText(page: PDFPageProxy, place: HTMLElement): Promise<void> {
  place.replaceChildren();
  const viewport = page.getViewport({ scale: 1 });
  await new TextLayer({ textContentSource: page.streamTextContent(), container: place, viewport }).render();
}
