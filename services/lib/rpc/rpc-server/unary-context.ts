import type { IncomingHttpHeaders } from 'node:http';
import type { DescMethod } from '@bufbuild/protobuf';
import { createContextValues, type HandlerContext } from '@connectrpc/connect';
import { trailerMux } from '@connectrpc/connect/protocol-connect';

/** The context of a unary call. Rarely used parts are created on first access. */
export class UnaryContext implements HandlerContext {
  readonly requestMethod = 'POST';
  readonly protocolName = 'connect';
  readonly values = createContextValues();
  readonly method: DescMethod;
  readonly #headers: IncomingHttpHeaders;
  readonly #endsAt: number | undefined;
  #over: { reason: unknown } | undefined;
  #controller: AbortController | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;

  /** `allowedMs` is the caller's timeout, if any. */
  constructor(method: DescMethod, headers: IncomingHttpHeaders, allowedMs: number | undefined) {
    this.method = method;
    this.#headers = headers;
    this.#endsAt = allowedMs === undefined ? undefined : performance.now() + allowedMs;
  }

  get service() {
    return this.method.parent;
  }

  get url(): string {
    return `http://${this.#headers.host ?? ''}/${this.service.typeName}/${this.method.name}`;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#over) this.#controller.abort(this.#over.reason);
    }
    return this.#controller.signal;
  }

  timeoutMs(): number | undefined {
    return this.#endsAt === undefined ? undefined : this.#endsAt - performance.now();
  }

  get requestHeader(): Headers {
    if (this.#requestHeader) return this.#requestHeader;
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.#headers)) {
      for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
    }
    this.#requestHeader = headers;
    return headers;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  /** Returns the headers and trailers that the handler has set; undefined if there are none. */
  answerHeaders(): Headers | undefined {
    if (!this.#responseHeader && !this.#responseTrailer) return undefined;
    return trailerMux(this.responseHeader, this.responseTrailer);
  }

  /** Ends the call and aborts its signal. */
  end(reason?: unknown): void {
    this.#over ??= { reason };
    this.#controller?.abort(this.#over.reason);
  }
}
