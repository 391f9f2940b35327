/** The vault that the pictures show: path to text. */
export const GARDEN: Readonly<Record<string, string>> = {
  'Garden/Beds.md': `---
tags: [garden, plan]
season: 2027
---
# Beds

Four beds, turned every year: what grew in one goes on to the next. The soil is in [[Soil]], the calendar in
[[Sowing calendar]].

> [!tip] Before the frost
> Cover the *north* bed with straw, and lift the **last carrots**.

| Bed | This year | Next year |
| --- | --- | --- |
| North | Peas, beans | Cabbage |
| East | Cabbage | Carrots |
| South | Carrots | Potatoes |
| West | Potatoes | Peas, beans |

- [x] Order peas
- [x] Mend the fence beside the [[Compost]]
- [ ] Ask about the [[Water butt]]

## How much seed

A row of length $l$ with a seed each $d$ takes $n = \\lfloor l / d \\rfloor + 1$ seeds:

\`\`\`python
def seeds(length, distance):
    return int(length // distance) + 1
\`\`\`

==Peas twice as dense==, for the pigeons.[^pigeons]

[^pigeons]: They came in [[2026-05-03]].
`,
  'Garden/Soil.md': `# Soil

Clay below, with a hand of sand above. The pH was 6.8 in spring. Lime only where [[Beds|the cabbage bed]] moves to.

#garden
`,
  'Garden/Sowing calendar.md': `# Sowing calendar

- March: peas, onions ([[Beds#How much seed]])
- April: carrots, beets
- May: beans, after the eleventh

#garden #plan
`,
  'Garden/Compost.md': `# Compost

Leaves and peelings in turns, a spade of [[Soil]] between. It should smell of wood.

#garden
`,
  'Journal/2026-05-03.md': `# 3 May

Pigeons in the peas. Net ordered. Read half of [[The hedge]].
`,
  'Journal/2026-05-04.md': `# 4 May

Rain. Wrote down what the [[Beds]] need, and planned the [[Sowing calendar]] for autumn.
`,
  'Reading/The hedge.md': `---
author: unknown
rating: 4
---
# The hedge

> A hedge is a slow house.

What to take from it for the [[Beds]]: plant in three rows, cut in the second year.

#books
`,
  'Recipes/Pea soup.md': `# Pea soup

1. Soften an onion in butter.
2. Peas from the north [[Beds|bed]], water, salt.
3. Mint at the end.

#kitchen
`,
  'Recipes/Bread.md': `# Bread

| | g |
| --- | ---: |
| Flour | 500 |
| Water | 340 |
| Salt | 10 |
| Starter | 100 |

#kitchen
`,
};
