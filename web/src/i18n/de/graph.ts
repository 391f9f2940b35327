import type { graph as english } from '../en/graph.ts';

/** Texte des Graphen eines Tresors und dessen neben einer Notiz. */
export const graph: typeof english = {
  title: 'Graph',
  side: 'Notizen des Graphen',
  counts: '{{notes}} Notizen, {{links}} Links',
  picture: 'Graph aus {{notes}} Notizen und {{links}} Links. Die Listen daneben sagen dasselbe.',
  find: 'Notizen nach Name oder Ordner finden',
  linkedOnly: 'Nur Notizen mit Links',
  found_one: '{{count}} Notiz gefunden',
  found_other: '{{count}} Notizen gefunden',
  mostLinked: 'Die meisten Links',
  links_one: '{{count}} Link',
  links_other: '{{count}} Links',
  open: 'Notiz öffnen',
  to_one: 'Verlinkt {{count}} Notiz',
  to_other: 'Verlinkt {{count}} Notizen',
  from_one: 'Verlinkt von {{count}} Notiz',
  from_other: 'Verlinkt von {{count}} Notizen',
  noLinks: 'Die Notiz hat keine Links zu anderen, und keine verlinkt sie.',
  steps: 'Wie weit um die Notiz herum',
  step_one: '{{count}} Schritt',
  step_other: '{{count}} Schritte',
  noWebGl: 'Dieser Browser kann den Graphen nicht zeichnen: Er hat kein WebGL. Die Listen zeigen dasselbe.',
};
