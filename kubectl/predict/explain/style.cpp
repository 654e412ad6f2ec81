#include "kubectl/predict/explain/style.hpp"

namespace tpuwh::server::explain {

const std::string_view page_style = R"(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1c2126;--quiet:#5b6570;--line:#dde2e7;
--accent:#0b57d0;--soft:#eef3fd;--ok:#137333;--warn:#8a5300;--bad:#b3261e;--code:#f3f5f7;--host:#f1f3f4}
@media (prefers-color-scheme:dark){:root{--page:#121418;--card:#1a1d22;--text:#e4e7eb;--quiet:#a0a9b4;
--line:#333a42;--accent:#8ab4f8;--soft:#1d2735;--ok:#71d189;--warn:#f0b849;--bad:#ff8f87;--code:#22272d;
--host:#2b3037}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",
Roboto,"Noto Sans","DejaVu Sans",sans-serif}
body>*{max-width:70rem;margin-inline:auto;padding-inline:clamp(.9rem,3vw,2rem)}
header{padding-block:2.2rem 1.2rem}
header .by{color:var(--quiet);font-size:.85rem;margin:0 0 .6rem;letter-spacing:.02em}
h1{font-size:clamp(1.35rem,3.5vw,1.9rem);line-height:1.25;font-weight:650;margin:0;letter-spacing:-.01em}
h2{font-size:1.3rem;line-height:1.3;font-weight:650;margin:0}
h3{font-size:1.05rem;font-weight:650;margin:2rem 0 .5rem}
h4{font-size:.95rem;font-weight:650;margin:1.6rem 0 .4rem}
h1,h2,h3,h4,p,li,dd,td,th,summary,figcaption,code{overflow-wrap:anywhere}
p{margin:.4rem 0}
ul{margin:.3rem 0;padding-left:1.25rem}
li{margin:.25rem 0}
.quiet{color:var(--quiet)}
.small{font-size:.875rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;
padding:clamp(1rem,2.5vw,1.6rem);margin:0 0 1.4rem}
.card>:last-child{margin-bottom:0}
.card>h3:first-child{margin-top:0}
.verdict{display:flex;gap:.8rem;align-items:flex-start}
.verdict p{margin:.15rem 0 0}
.verdict h2{font-size:1.15rem;line-height:1.5}
.sign{flex:none;display:inline-flex;align-items:center;justify-content:center;width:1.75em;height:1.75em;
border:2px solid currentColor;border-radius:50%;font-weight:700;line-height:1}
.word{font-weight:650}
.ok{color:var(--ok)}.warn{color:var(--warn)}.bad{color:var(--bad)}.none{color:var(--quiet)}
.facts{display:flex;flex-wrap:wrap;gap:.75rem clamp(1.4rem,4vw,2.8rem);margin:1.1rem 0 0;padding:1rem 0 0;
border-top:1px solid var(--line)}
.facts div{min-width:0}
.facts dt{color:var(--quiet);font-size:.8rem}
.facts dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto;margin:.4rem 0;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem;border-top:1px solid var(--line)}
thead th{border-top:0;color:var(--quiet);font-weight:600;font-size:.8rem;white-space:nowrap;
background:var(--code)}
th.rows{color:var(--quiet);font-weight:600;font-size:.8rem;padding-top:.8rem}
tbody th{font-weight:500}
tbody th code{white-space:nowrap}
.fit{width:fit-content;max-width:100%}
.fit table{width:auto}
.fit tbody th{padding-right:2.5rem;min-width:10rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);padding:0}
td.n{text-align:right;white-space:nowrap}
th.n{text-align:right}
td.v{min-width:12rem}
td.w{min-width:14rem;color:var(--quiet)}
code,pre{font:.85em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre code{font-size:inherit}
pre{color:var(--text);margin:.5rem 0;padding:.8rem 1rem;background:var(--code);border:1px solid var(--line);border-radius:8px;
overflow-x:auto;font-size:.8rem}
details{margin:.4rem 0}
summary{cursor:pointer;padding:.3rem 0}
summary::marker{color:var(--accent)}
summary:focus-visible,.wide:focus-visible,pre:focus-visible,a:focus-visible{outline:2px solid var(--accent);
outline-offset:2px}
details.slice{border:1px solid var(--line);border-radius:8px;margin:.5rem 0;padding:0 .8rem}
details.slice>summary{padding:.55rem 0}
details.slice[open]{padding-bottom:.6rem}
.tag{display:inline-block;font-size:.78rem;font-weight:600;color:var(--accent);background:var(--soft);
border-radius:5px;padding:.05rem .4rem;white-space:nowrap}
.finding,.wait{border-left:3px solid var(--line);padding:.15rem 0 .15rem .9rem;margin:.8rem 0}
.finding.bad,.wait.bad{border-color:var(--bad)}.finding.warn,.wait.warn{border-color:var(--warn)}
.finding p,.wait p{color:var(--text)}
.finding .lead,.wait .lead{font-weight:600}
.bad>p>.lead,.bad>.lead{color:var(--bad)}
.warn>p>.lead,.warn>.lead{color:var(--warn)}
td details{margin:0}
td summary{padding:0}
.pairs{margin:.2rem 0 .7rem;font-size:.875rem}
.pairs div{display:flex;flex-wrap:wrap;gap:0 .8rem;padding:.12rem 0}
.pairs dt{color:var(--quiet);min-width:13rem}
.pairs dd{margin:0;min-width:0;flex:1 1 12rem}
.figures{display:flex;flex-wrap:wrap;gap:0 2rem}
figure{margin:.6rem 0;min-width:0;max-width:100%}
figcaption{color:var(--quiet);font-size:.875rem;margin-top:.3rem}
.picture{overflow-x:auto;padding:.2rem 0}
svg{display:block;max-width:none;height:auto}
svg text{font:12px system-ui,sans-serif;fill:var(--text)}
svg .t{font-size:13px;font-weight:600}
svg .h{fill:var(--host);stroke:var(--quiet)}
svg .c{fill:var(--accent)}
svg .m{fill:none;stroke:var(--bad);stroke-dasharray:4 3}
svg .m~.c{fill:none;stroke:var(--bad)}
nav ol{list-style:none;padding:0;margin:.8rem 0 0}
nav li{display:flex;gap:.4rem;margin:.3rem 0}
nav li>:first-child{width:1.2em;text-align:center}
h3.group{font-size:1.15rem;margin-top:2.2rem;padding-top:1.4rem;border-top:1px solid var(--line)}
.group+.facts{border-top:0;padding-top:0;margin-top:.4rem}
nav a{color:var(--accent)}
footer{padding-block:.4rem 2.5rem;color:var(--quiet);font-size:.85rem}
@media (max-width:32rem){.card{border-radius:0;margin-inline:calc(-1*clamp(.9rem,3vw,2rem));border-inline:0}
th,td{padding:.35rem .55rem}}
@media print{:root{--page:#fff;--card:#fff;--text:#000;--quiet:#444;--line:#bbb;--accent:#0b4fbd;--soft:#fff;
--ok:#0d5a27;--warn:#6b4000;--bad:#8f1d17;--code:#fff;--host:#f4f4f4}
body{font-size:10.5pt}.card{border:0;border-top:1px solid var(--line);border-radius:0;padding-inline:0}
.wide,.picture,pre{overflow:visible}pre{white-space:pre-wrap}tr,pre,.finding,.wait{break-inside:avoid}
svg{max-width:100%}details::details-content{content-visibility:visible;block-size:auto}
summary{list-style:none}}
)";

const std::string_view page_style_hash = "sha256-MsaKkLktKmm1NmZNhKlGDC71w4pF5/01LobY545iUUQ=";

}  // namespace tpuwh::server::explain
