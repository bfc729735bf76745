import { ERROR_TABLE } from '../../errors/error-table.ts';
import { errorCodes } from '../../openapi/components.ts';
import type { Header, JsonContent, OpenApiDocument } from '../../openapi/document-types.ts';
import { errorName } from '../../openapi/error-schemas.ts';
import { Html, html, nothing } from './html.ts';
import { exampleList, operationSection, type Placed, paragraphs } from './operation-html.ts';
import { fieldList, limitsOf, resolve } from './schema-html.ts';
import { STYLE } from './style.ts';

/**
 * The reference for people: the whole OpenAPI document as one HTML page that needs no script and no other host. The
 * style is in the page, byte for byte as exported by style.ts, so that a hash can allow it.
 */
export function renderReference(document: OpenApiDocument): string {
  const { info, components } = document;
  const operations = placed(document.paths);
  const webhooks = placed(document.webhooks);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}: reference</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the reference</a>
<header>
<h1>${info.title}</h1>
<p class="quiet">Interface version ${info.version}. For programs: <a href="/openapi.json">openapi.json</a>, OpenAPI 3.1.</p>
<nav aria-label="Contents">
<ul>
${operations.map(contentsEntry)}${webhooks.map(contentsEntry)}<li><a href="#objects">Objects</a></li>
<li><a href="#errors">Errors</a></li>
<li><a href="#headers">Headers</a></li>
</ul>
</nav>
</header>
<main id="content">
${paragraphs(info.description)}
<h2 id="authentication">Authentication</h2>
${Object.values(components.securitySchemes).map(schemeText)}
<h2 id="operations">Operations</h2>
${operations.map((operation) => operationSection(operation, components))}
<h2 id="webhooks">Webhooks</h2>
${webhooks.map((webhook) => operationSection(webhook, components))}
<h2 id="objects">Objects</h2>
${answeredShapes(document).map((name) => objectSection(name, document))}
<h2 id="errors">Errors</h2>
${errorSections(document)}
<h2 id="headers">Headers</h2>
<dl>${Object.entries(components.headers).map(headerEntry)}</dl>
</main>
<footer><p><a href="#content">Back to the top</a></p></footer>
</body>
</html>
`.text;
}

function placed(paths: OpenApiDocument['paths']): Placed[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

function contentsEntry({ method, path, operation }: Placed): Html {
  return html`<li><a href="#${operation.operationId}">${operation.summary}<br><code>${method.toUpperCase()} ${path}</code></a></li>
`;
}

function schemeText(scheme: object): Html {
  return 'description' in scheme ? paragraphs(String(scheme.description)) : nothing;
}

/** The names of the shapes that a success carries, each once. */
function answeredShapes({ paths }: OpenApiDocument): string[] {
  const answers = placed(paths).flatMap(({ operation }) => Object.values(operation.responses));
  const refs = answers.map((answer) =>
    'content' in answer ? answer.content?.['application/json'].schema.$ref : undefined,
  );
  return [...new Set(refs.flatMap((ref) => ref?.split('/').at(-1) ?? []))];
}

function objectSection(name: string, { components }: OpenApiDocument): Html {
  const schema = components.schemas[name];
  if (!schema) return nothing;
  return html`<h3 id="${name}">${name}</h3>\n${fieldList(schema, components.schemas)}\n`;
}

/** One section for each code; its id is the code, which is what answers link to. */
function errorSections({ components }: OpenApiDocument): Html[] {
  return errorCodes().map((code) => {
    const { description = '', content } = components.responses[errorName(code)] ?? {};
    const json = content?.['application/json'];
    return html`<section id="${code}" aria-labelledby="${code}-title">
<h3 id="${code}-title"><code>${code}</code> <span class="quiet">${ERROR_TABLE[code].status}</span></h3>
${paragraphs(description.replace(`\`${code}\`: `, ''))}
${json ? errorBody(json, components.schemas) : nothing}
</section>
`;
  });
}

function errorBody(
  { schema, examples }: JsonContent['application/json'],
  schemas: OpenApiDocument['components']['schemas'],
): Html {
  return html`${fieldList(resolve(schema, schemas), schemas)}${exampleList(examples)}`;
}

function headerEntry([name, { description, schema, example }]: [string, Header]): Html {
  return html`<dt><code>${name}</code> <span class="quiet">${[schema.type ?? ''].flat().join()}</span></dt>
<dd>${description}${limitsOf(schema)}<br>Example: <code>${String(example)}</code></dd>
`;
}
