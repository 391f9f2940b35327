const RUN = 'window.hacked=1';

/** Notes that try to run a script or to call another server, in every part of markdown that is drawn. */
export const HOSTILE_NOTES: readonly string[] = [
  // Raw HTML
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"><script>${RUN}</script></svg>`,
  `<iframe src="javascript:parent.hacked=1"></iframe>`,
  `<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>`,
  `<object data="javascript:${RUN}"></object><embed src="javascript:${RUN}">`,
  `<details open ontoggle="${RUN}">x</details>`,
  `<a href="javascript:${RUN}">x</a> <form action="javascript:${RUN}"><button>x</button></form>`,
  `text <b onclick="${RUN}">b</b> <u style="background:url(https://evil.example/x)">u</u>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  `<style>@import url(https://evil.example/x.css);</style><link rel=stylesheet href=https://evil.example/x.css>`,
  `<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  // HTML that is drawn, since its tags are for text
  `<div onclick="${RUN}" style="position:fixed;inset:0;background:url(https://evil.example/x)">x</div>`,
  `<p><a href="javascript:${RUN}">x</a> <a href="data:text/html,x">y</a> <a href="//evil.example">z</a></p>`,
  `<details open ontoggle="${RUN}"><summary onfocus="${RUN}" tabindex="1" autofocus>x</summary>y</details>`,
  `<p id="app" class="cm-editor" data-x="1" name="hacked">x</p>`,
  `<table background="https://evil.example/x"><tr><td>x</td></tr></table>`,
  // Links and images
  `[x](javascript:${RUN})`,
  `[x](JaVaScRiPt:${RUN}) [y](java\tscript:${RUN}) [z](&#106;avascript:${RUN}) [q](\u0001javascript:${RUN})`,
  `[x](<javascript:${RUN}>) [y]( javascript:${RUN} )`,
  `[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==) [y](vbscript:x) [z](file:///etc/passwd)`,
  `[x][r]\n\n[r]: javascript:${RUN} "title"`,
  `<javascript:${RUN}> javascript:${RUN}`,
  `![x](javascript:${RUN}) ![y](data:image/svg+xml,<svg onload=${RUN}>) ![z](https://evil.example/x.png)`,
  `![x" onerror="${RUN}](https://evil.example/x.png)`,
  `[![x](https://evil.example/x.png)](javascript:${RUN})`,
  // Wikilinks, tags, block ids
  `[[javascript:${RUN}]] [[x"onmouseover="${RUN}|y]] [[<img src=x onerror=${RUN}>]]`,
  `![[javascript:${RUN}]] ![[x.png"onerror="${RUN}]] ![[<svg onload=${RUN}>.svg]]`,
  `![[https://evil.example/x.png]] ![[//evil.example/x.pdf]] ![[../../etc/passwd.png]]`,
  `#<img/src=x onerror=${RUN}> #tag"onclick="${RUN}`,
  // Frontmatter
  `---\ntitle: <img src=x onerror="${RUN}">\ntags: ["<script>${RUN}</script>", javascript:${RUN}]\nx: !!js/function "function(){${RUN}}"\n---\n`,
  `---\n"__proto__": {hacked: 1}\nconstructor: {prototype: {hacked: 1}}\n? [a]\n: b\n---\n`,
  `---\na: &a [x]\nb: [*a, *a, *a, *a]\n<<: *a\n---\n`,
  // Tables, callouts, footnotes, code
  `| <img src=x onerror=${RUN}> | [x](javascript:${RUN}) |\n|---|---|\n| ![y](https://evil.example/x.png) | $\\href{javascript:${RUN}}{x}$ |`,
  `> [!<img src=x onerror=${RUN}>] <script>${RUN}</script>\n> [!note"onclick="${RUN}]`,
  `a[^<img src=x onerror=${RUN}>] ^[<script>${RUN}</script>]\n\n[^1]: <img src=x onerror=${RUN}>`,
  `\`\`\`html"onclick="${RUN}\n<script>${RUN}</script>\n\`\`\``,
  `\`\`\`<img src=x onerror=${RUN}>\nx\n\`\`\``,
  // Mathematics
  `$\\href{javascript:${RUN}}{x}$ $\\url{javascript:${RUN}}$ $\\htmlData{onclick=${RUN}}{x}$`,
  `$$\n\\includegraphics{https://evil.example/x.png}\n\\htmlStyle{background:url(https://evil.example/x)}{x}\n$$`,
  `$\\def\\a{\\a\\a}\\a$ $\\unicode{<img src=x onerror=${RUN}>}$`,
  // Diagrams
  `\`\`\`mermaid\ngraph TD\nA["<img src=x onerror='parent.hacked=1'>"]-->B\nclick B href "javascript:parent.hacked=1"\n\`\`\``,
  `\`\`\`mermaid\n%%{init: {"securityLevel":"loose","htmlLabels":true}}%%\ngraph TD\nA["<script>parent.hacked=1</script><iframe srcdoc='<script>top.hacked=1</script>'>"]\nclick A call parent.eval("hacked=1")\n\`\`\``,
  `\`\`\`mermaid\nsequenceDiagram\nA->>B: <img src="https://evil.example/x.png" onerror="top.hacked=1">\n\`\`\``,
  // Text that is much of one thing
  `${'['.repeat(5_000)}x${']'.repeat(5_000)}`,
  `${'> '.repeat(500)}x\n${'*'.repeat(5_000)}\n${'$'.repeat(5_000)}`,
];
