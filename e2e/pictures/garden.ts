/** A day near the one on which the pictures are taken, as tasks have it. */
function due(days: number): string {
  return `📅 ${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}`;
}

/** The vault that the pictures show: path to text. All of it is made up. */
export const GARDEN: Readonly<Record<string, string>> = {
  'Beds/Spring planting.md': `---
date: 2027-03-14
status: growing
bed: North
tags: [garden, plan/2027]
---
What goes where this year, after the notes of [[Crop rotation]]. The north bed rests from ==brassicas==; the soil test in [[Soil]] says \`pH 6.4\`, so no lime.

## Before the last frost

- [x] Turn the [[Compost|compost]]
- [ ] Sow indoors
  - [ ] Tomatoes, by the south window
  - [ ] Leeks, two trays
- [ ] Mend the cold frame

> [!info] Frost dates
> Ten years of our own notes say 21 April, not the 12th of the almanac.

## Beds

| Bed | Crop | Follows | Plants |
| --- | --- | --- | ---: |
| North | [[Beans]] | Cabbage | 48 |
| South | Tomatoes | Peas | 12 |
| Herbs | Basil, dill | – | 9 |

\`\`\`python
def spacing(width, plants):
    return width / plants   # metres
\`\`\`

A row of length $l$ takes $n = \\lfloor l / d \\rfloor + 1$ seeds.[^seeds]

1. Rake the bed
2. Draw a line with the string
   - two hands apart
   - a thumb deep
3. Water, then wait

> A hedge is a slow house.

[^seeds]: Peas twice as dense, for the pigeons.
`,
  'Beds/Compost.md': `Two heaps, one turned. 58 °C in the middle of the new one; the old compost is ready for the north bed of [[Spring planting]].

#garden
`,
  'Beds/Crop rotation.md': `The plan of 2027 is in [[Spring planting]]. What grew in one bed goes on to the next.

#garden #plan/2027
`,
  'Journal/Week 47.md': `Frost on Tuesday. Order seeds, mend the cold frame, ask about the fence.

- [ ] Order seeds ${due(-4)}
- [ ] Ask about the fence ${due(3)}

Turned the compost heap, found three slow-worms, put the lid back.
`,
  'Journal/This week.md': `Mend the fence, then finish [[Spring planting]] and order the seeds.
`,
  'People/Mira.md': `Asked whether [[Spring planting]] leaves room for dahlias.

#people
`,
  'Recipes/Sourdough, third try.md': `80 % water, overnight in the cold, baked in the pot.

#kitchen
`,
  'Recipes/Sprouts, pickled.md': `Halve them, salt, a week at the window.

#kitchen
`,
  'Seeds/Beans.md': `Borlotti and runner beans. Two rows, a hand apart; after the eleventh of May. See [[Spring planting#Beds]].

#garden
`,
  'Weather/Weather 2026.md': `A long cold snap put off the spring planting by nine days.
`,
  'Reading list.md': `The Living Soil; A Year at the Plot; Seeds and Their Keepers. In one of them: what lives in a compost heap, and at which heat each of them leaves.

#books
`,
  'Soil.md': `Clay below, with a hand of sand above. The pH was 6.4 in autumn. Lime only where the cabbages of [[Spring planting]] go.

#garden
`,
};

/** Earlier texts of one of them, so that it has a history. */
export const DRAFTS: readonly (readonly [path: string, text: string])[] = [
  ['Soil.md', 'Clay below. The pH was 6.1 in spring.\n'],
  ['Soil.md', 'Clay below, with sand above. The pH was 6.1 in spring, so lime it all.\n'],
];

/** A copy of one of them, as folder sync keeps it. */
export const COPY: Readonly<Record<string, string>> = {
  'Soil (conflict Laptop 2026-11-22 14-05-09).md': `Clay below, with a hand of sand above. The pH was 6.4 in autumn. A little lime where the cabbages of [[Spring planting]] go.

#garden
`,
};
