import mermaid from 'mermaid';
import { listen, type Reply } from './frame-messages.ts';

// Runs in a frame without the origin of the app. What a diagram's text can do here, it can do to this frame only.
let count = 0;

listen(async ({ source, theme }): Promise<Reply> => {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: theme === 'dark' ? 'dark' : 'neutral',
    fontFamily: 'system-ui, sans-serif',
    maxTextSize: 50_000,
    maxEdges: 1_000,
  });
  const text = typeof source === 'string' ? source : '';
  await mermaid.parse(text);
  const { svg } = await mermaid.render(`diagram-${++count}`, text);
  const parsed = new DOMParser().parseFromString(svg, 'text/html').body.firstElementChild;
  if (parsed === null) throw new Error('mermaid drew nothing');
  document.body.replaceChildren(parsed);
  const { width, height } = parsed.getBoundingClientRect();
  return { type: 'drawn', width, height: height + 2 };
});
