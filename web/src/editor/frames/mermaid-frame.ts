// biome-ignore lint/correctness/noUndeclaredDependencies: the build takes one bundle out of the package.
import mermaid from 'mermaid';
import type { DiagramColors } from '../media/diagram.ts';
import { listen, type Reply } from './frame-messages.ts';

// Runs in a frame without the app's origin, so that a malicious diagram can only affect this frame.
let count = 0;

listen(async ({ source, colors }): Promise<Reply> => {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: 'base',
    themeVariables: variablesOf(colors as DiagramColors),
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

/** Returns the colours under Mermaid's names; it derives those of other diagram types from the first ones. */
function variablesOf(colors: DiagramColors): Readonly<Record<string, string | boolean>> {
  const { page, panel, sunken, hairline, line, text, muted, border, accent, soft, edge, warn, danger, dangerSoft } =
    colors;
  const actor = { actorBkg: soft, actorBorder: edge, actorTextColor: text, actorLineColor: border };
  const sequence = {
    ...{ signalColor: muted, signalTextColor: text, loopTextColor: text, sequenceNumberColor: page },
    ...{ labelBoxBkgColor: sunken, labelBoxBorderColor: line, labelTextColor: text },
    ...{ activationBkgColor: sunken, activationBorderColor: border },
  };
  const gantt = {
    ...{ sectionBkgColor: sunken, altSectionBkgColor: page, sectionBkgColor2: panel, gridColor: hairline },
    ...{ taskBkgColor: soft, taskBorderColor: edge, taskTextColor: text, taskTextOutsideColor: text },
    ...{ taskTextLightColor: text, taskTextDarkColor: text, activeTaskBkgColor: soft, activeTaskBorderColor: accent },
    ...{ doneTaskBkgColor: sunken, doneTaskBorderColor: line, critBkgColor: dangerSoft, critBorderColor: danger },
    todayLineColor: danger,
  };
  return {
    darkMode: isDark(page),
    ...{ background: page, textColor: text, titleColor: text, lineColor: border },
    ...{ primaryColor: soft, primaryBorderColor: edge, primaryTextColor: text },
    ...{ secondaryColor: sunken, secondaryBorderColor: line, secondaryTextColor: text },
    ...{ tertiaryColor: panel, tertiaryBorderColor: hairline, tertiaryTextColor: text },
    ...{ mainBkg: soft, nodeBorder: edge, nodeTextColor: text, edgeLabelBackground: page },
    ...{ clusterBkg: sunken, clusterBorder: line, noteBkgColor: warn, noteBorderColor: line, noteTextColor: text },
    ...actor,
    ...sequence,
    ...gantt,
  };
}

/** Returns whether a colour, `rgb(…)`, is dark. */
function isDark(color: string): boolean {
  const parts = color.match(/[\d.]+/g) ?? [];
  return parts.slice(0, 3).reduce((sum, part) => sum + Number(part), 0) < 3 * 128;
}
