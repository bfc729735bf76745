import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { declaredAs, judged, ruleOf, SHEET } from '../../testing/judged-workbook.ts';
import { PROGRAM } from '../../testing/sample-files.ts';
import { relationships, textPart, xlsx } from '../../testing/zip-writer.ts';

const MIB = 1024 * 1024;

describe('workbook markup', () => {
  it.each([
    [
      'a pivot cache of a connection',
      '<pivotCacheDefinition><cacheSource type="external" connectionId="1"/></pivotCacheDefinition>',
      'connection',
    ],
    [
      'a Power Query',
      '<DataMashup xmlns="http://schemas.microsoft.com/DataMashup">AAAA</DataMashup>',
      'connection',
    ],
    ['a DDE link', '<externalLink><ddeLink ddeService="cmd" ddeTopic="/C calc"/></externalLink>', 'formula'],
    ['an OLE link', '<externalLink><oleLink progId="a"/></externalLink>', 'external-link'],
    [
      'a name that runs by itself',
      '<workbook><definedName name="_xlnm.Auto_Open">A1</definedName></workbook>',
      'macros',
    ],
    [
      'a place on a server',
      '<worksheet><hyperlink ref="A1" location="\\\\server\\share"/></worksheet>',
      'hyperlink',
    ],
    ['a macro of another file', `<wsDr><sp macro="'\\\\server\\b.xlsm'!Go"/></wsDr>`, 'external-link'],
    ['a macro of an open file', '<worksheet><controlPr macro="b.xlsm!Go"/></worksheet>', 'external-link'],
    ['a macro of its own', '<wsDr><sp macro="[0]!Button1_Click"/><pic macro=""/></wsDr>', 'clean'],
    [
      'a picture from the web',
      '<webImagesSrd><webImageSrd><address r:id="rId1"/></webImageSrd></webImagesSrd>',
      'linked-picture',
    ],
    [
      'a page to publish',
      '<worksheet><webPublishItems><webPublishItem destinationFile="\\\\server\\x.htm"/></webPublishItems></worksheet>',
      'external-link',
    ],
    [
      'a base of links on a server',
      '<Properties><HyperlinkBase>\\\\server\\</HyperlinkBase></Properties>',
      'hyperlink',
    ],
    [
      'a base of links with an element',
      '<Properties><HyperlinkBase>c:<HyperlinkBase/></HyperlinkBase></Properties>',
      'unreadable',
    ],
    [
      'a base of links on the web',
      '<Properties><HyperlinkBase>https://a.test/</HyperlinkBase><HyperlinkBase/></Properties>',
      'clean',
    ],
    ['a document type', '<!DOCTYPE a><a/>', 'doctype'],
    ['an entity', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'doctype'],
    ['an unknown entity', '<a>&b;</a>', 'unreadable'],
    ['no end', '<a><b></a>', 'unreadable'],
    ['two attributes of the same name', '<a b="1" b="2"/>', 'unreadable'],
    ['text around it', 'x<a/>', 'unreadable'],
    ['nothing', '', 'unreadable'],
    ['a program', PROGRAM.toString('latin1'), 'unreadable'],
    ['too many levels', `${'<a>'.repeat(300)}${'</a>'.repeat(300)}`, 'unreadable'],
    ['one text of 9 MB', `<a>${randomBytes(4_500_000).toString('hex')}</a>`, 'unreadable'],
    ['an internal place', '<worksheet><hyperlink ref="A1" location="\'My Sheet\'!A1"/></worksheet>', 'clean'],
    [
      'a pivot cache of a sheet',
      '<pivotCacheDefinition><cacheSource type="worksheet"/></pivotCacheDefinition>',
      'clean',
    ],
    ['data of its own', '<b:Data xmlns:b="urn:x"><b:script>alert(1)</b:script></b:Data>', 'clean'],
  ])('judges a part with %s', async (_what, text, expected) => {
    expect(await ruleOf(xlsx(textPart('xl/item1.xml', text)))).toBe(expected);
  });

  const utf16 = (text: string, mark = '\ufeff') => Buffer.from(mark + text, 'utf16le');
  it.each([
    ['UTF-16', utf16('<?xml version="1.0" encoding="UTF-16"?><a>ü</a>'), 'clean'],
    [
      'UTF-16 in the other byte order',
      utf16('<?xml version="1.0" encoding="utf-16"?><a/>').swap16(),
      'clean',
    ],
    ['UTF-16 without a mark', utf16('<?xml version="1.0" encoding="UTF-16"?><a/>', ''), 'clean'],
    ['UTF-16 without a declaration', utf16('<a/>'), 'clean'],
    ['UTF-8 with a mark', Buffer.from('\ufeff<?xml version="1.0" encoding="utf-8"?><a/>'), 'clean'],
    ['ASCII', Buffer.from('<?xml version="1.0" encoding="US-ASCII"?><a/>'), 'clean'],
    [
      'UTF-16 with half a character',
      utf16('<?xml version="1.0" encoding="UTF-16"?><a/>').subarray(0, -1),
      'unreadable',
    ],
    ['UTF-16 that declares UTF-8', utf16('<?xml version="1.0" encoding="UTF-8"?><a/>'), 'unreadable'],
    ['UTF-8 that declares UTF-16', Buffer.from('<?xml version="1.0" encoding="UTF-16"?><a/>'), 'unreadable'],
    ['bytes that are not UTF-8', Buffer.from('<a>\xff</a>', 'latin1'), 'unreadable'],
    ['another encoding', Buffer.from('<?xml version="1.0" encoding="IBM037"?><a/>'), 'unreadable'],
    ['UTF-7', Buffer.from('<?xml version="1.0" encoding="UTF-7"?><a/>'), 'unreadable'],
  ])('judges a part in %s', async (_what, data, expected) => {
    expect(await ruleOf(xlsx({ name: 'xl/item1.xml', data }))).toBe(expected);
  });

  it('finds formulas and relationships in UTF-16', async () => {
    const data = utf16('<?xml version="1.0" encoding="UTF-16"?><worksheet><f>WEBSERVICE(A1)</f></worksheet>');
    expect(await judged(xlsx({ name: SHEET, data }))).toBe(`formula ${SHEET}`);
    const links = relationships(['oleObject', 'a.bin']).replace('UTF-8', 'UTF-16');
    expect(await judged(xlsx({ name: 'xl/_rels/workbook.xml.rels', data: utf16(links) }))).toMatch(
      /^embedded-object /,
    );
  });

  const VML = 'application/vnd.openxmlformats-officedocument.vmlDrawing';
  it.each([
    [
      'a comment',
      '<xml><v:shape id="a"><v:fill color2="#ffffe1"/><v:shadow on="t"/><div>a<br>b</div></v:shape></xml>',
      'clean',
    ],
    [
      'a picture of the package',
      '<xml><v:shape><v:imagedata o:relid="rId1" o:title="x"/></v:shape></xml>',
      'clean',
    ],
    ['a web link', '<xml><v:shape href="https://bank.example.test/"/></xml>', 'clean'],
    [
      'a picture from the web',
      '<xml><v:shape><v:imagedata src="https://x.test/a.png"/></v:shape></xml>',
      'linked-picture',
    ],
    [
      'a picture from a share',
      '<xml><v:shape><v:imagedata o:href="\\\\server\\a.png"/></v:shape></xml>',
      'linked-picture',
    ],
    [
      'a fill from the web',
      '<xml><v:shape><v:fill src="http://x.test/a.png"/></v:shape></xml>',
      'linked-picture',
    ],
    ['a link to a file', '<xml><v:shape href="file:///c:/x.exe"/></xml>', 'hyperlink'],
    ['a script', '<xml><script>alert(1)</script></xml>', 'picture'],
    ['a script of Excel', '<xml><x:ScriptText>alert(1)</x:ScriptText></xml>', 'picture'],
    ['a behaviour', '<xml><v:shape style="behavior:url(http://x.test/x.htc)"/></xml>', 'picture'],
    ['a macro of another file', '<xml><x:FmlaMacro>b.xlsm!Go</x:FmlaMacro></xml>', 'external-link'],
    ['a macro of its own', '<xml><x:FmlaMacro>[0]!Go</x:FmlaMacro></xml>', 'clean'],
    ['a formula', '<xml><x:FmlaLink>WEBSERVICE(A1)</x:FmlaLink></xml>', 'formula'],
    ['a document type', '<!DOCTYPE xml><xml/>', 'doctype'],
  ])('judges a legacy drawing with %s', async (_what, text, expected) => {
    const [found] = (await judged(declaredAs('xl/drawings/vmlDrawing1.vml', VML, Buffer.from(text)))).split(
      ' ',
    );
    expect(found).toBe(expected);
  });

  it.each([
    ['shapes', '<svg xmlns="http://www.w3.org/2000/svg"><use xlink:href="#a"/></svg>', 'clean'],
    ['an inner picture', '<svg><image href="data:image/png;base64,AA"/></svg>', 'clean'],
    [
      'styles',
      '<svg><style>a{fill:url(#b)} @font-face{src:url("data:font/woff2;base64,A")}</style><b fill="url(\'#c\')"/></svg>',
      'clean',
    ],
    ['an address as text', '<svg><text>url(https://x.test) \\</text></svg>', 'clean'],
    ['an imported style', '<svg><style>@import "https://x.test/x.css";</style></svg>', 'picture'],
    ['a style from the web', '<svg><style>a{fill:<![CDATA[url(https://x.test/a)]]></style></svg>', 'picture'],
    ['an escaped style', '<svg><style>a{fill:u\\72l(https://x.test/a)}</style></svg>', 'picture'],
    ['a style with an element', '<svg><style>a{fill:u<b/>rl(https://x.test/a)}</style></svg>', 'picture'],
    ['a fill from the web', '<svg><rect style="fill:URL( https://x.test/a#b)"/></svg>', 'picture'],
    ['a filter from the web', '<svg><rect filter="url(//x.test/a#b)"/></svg>', 'picture'],
    ['a link that is set', '<svg><a><set attributeName="xlink:href" to="x"/></a></svg>', 'picture'],
    ['a handler that is set', '<svg><animate attributeName="onclick" values="x"/></svg>', 'picture'],
    ['a stylesheet', '<?xml-stylesheet type="text/xsl" href="https://x.test/x.xsl"?><svg/>', 'picture'],
    ['a base on the web', '<svg xml:base="https://x.test/"><image href="a.png"/></svg>', 'linked-picture'],
    ['a script', '<svg><script>alert(1)</script></svg>', 'picture'],
    ['a handler', '<svg onload="alert(1)"/>', 'picture'],
    ['a page', '<svg><foreignObject/></svg>', 'picture'],
    ['a picture from the web', '<svg><image xlink:href="https://x.test/a.png"/></svg>', 'linked-picture'],
    ['a link to a script', '<svg><a href="javascript:alert(1)"/></svg>', 'hyperlink'],
  ])('judges a vector picture with %s', async (_what, text, expected) => {
    const found = await ruleOf(declaredAs('xl/media/image1.svg', 'image/svg+xml', Buffer.from(text)));
    expect(found).toBe(expected);
  });

  it.each([
    ['tags without ends', '<Relationship '],
    ['quotes that never end', '<Relationship a="\''],
    ['comments without ends', '<!--'],
    ['one long name', 'a'],
    ['white space', ' '],
  ])('takes time linear in the size of the input: %s', async (_what, part) => {
    const data = Buffer.concat([Buffer.from('<Relationship '), Buffer.from(part.repeat(500_000))]);
    expect(await judged(xlsx({ name: 'xl/_rels/workbook.xml.rels', data }))).toMatch(
      /^(?:unreadable|too-large)/,
    );
    expect(deflateSync(data).length).toBeLessThan(MIB);
  });
});
