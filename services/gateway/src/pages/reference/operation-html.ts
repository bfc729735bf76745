import type {
  DescribedOperation,
  Examples,
  JsonContent,
  OpenApiDocument,
  Parameter,
  Reference,
  Response,
} from '../../openapi/document-types.ts';
import { type Html, html, nothing } from './html.ts';
import { fieldList, limitsOf, resolve } from './schema-html.ts';

export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

type Components = OpenApiDocument['components'];

/** One operation: how to call it, with what, and everything that it can answer. */
export function operationSection({ method, path, operation }: Placed, components: Components): Html {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation;
  const scopes = security.flatMap((way) => Object.values(way).flat());
  return html`<section id="${operationId}" aria-labelledby="${operationId}-title">
<h3 id="${operationId}-title">${summary}</h3>
<code class="call">${method.toUpperCase()} ${path}</code>
${paragraphs(description)}
${scopes.length === 0 ? nothing : html`<p>Needs the scope ${scopes.map(scopeCode)}.</p>`}
${parameters.length === 0 ? nothing : html`<h4>Parameters</h4>\n<dl>${parameters.map(parameterEntry)}</dl>`}
${requestBody ? bodyPart('Body', requestBody.content, components) : nothing}
<h4>Answers</h4>
<dl>${Object.entries(responses).map(([status, answer]) => answerEntry(status, answer, components))}</dl>
</section>
`;
}

/** Text with a blank line between paragraphs and code between backquotes. */
export function paragraphs(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${withCode(paragraph)}</p>\n`)}`;
}

/** Examples that fold away, each with its JSON. */
export function exampleList(examples: Examples): Html {
  return html`${Object.values(examples).map(
    ({ summary, value }) => html`<details><summary>Example: ${summary}</summary>
<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>
`,
  )}`;
}

function withCode(text: string): Html[] {
  return text.split('`').map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

const scopeCode = (scope: string, at: number): Html => html`${at === 0 ? '' : ' or '}<code>${scope}</code>`;

function parameterEntry({ name, in: place, required, description, schema, example }: Parameter): Html {
  return html`<dt><code>${name}</code> <span class="quiet">in the ${place}, ${[schema.type ?? ''].flat().join()}${
    schema.format === undefined ? '' : `, ${schema.format}`
  }</span>${required ? html` <span class="must">required</span>` : nothing}</dt>
<dd>${description}${limitsOf(schema)}${
    example === undefined ? nothing : html`<br>Example: <code>${String(example)}</code>`
  }</dd>
`;
}

function bodyPart(title: string, content: JsonContent, { schemas }: Components): Html {
  const { schema, examples } = content['application/json'];
  return html`<h4>${title}</h4>
${fieldList(resolve(schema, schemas), schemas)}
${exampleList(examples)}`;
}

function answerEntry(status: string, answer: Response | Reference, components: Components): Html {
  const response = '$ref' in answer ? components.responses[answer.$ref.split('/').at(-1) ?? ''] : answer;
  if (!response) return nothing;
  const { description, content } = response;
  const json = content?.['application/json'];
  if (Number(status) >= 400) {
    const codes = Object.keys(json?.examples ?? {});
    return html`<dt><code>${status}</code></dt>\n<dd>${codes.map(errorLink)}</dd>\n`;
  }
  const shape = json?.schema.$ref?.split('/').at(-1);
  return html`<dt><code>${status}</code>${
    shape === undefined ? nothing : html` <a href="#${shape}">${shape}</a>`
  }</dt>
<dd>${description}${json ? exampleList(json.examples) : nothing}</dd>
`;
}

const errorLink = (code: string, at: number): Html =>
  html`${at === 0 ? '' : ', '}<a href="#${code}"><code>${code}</code></a>`;
