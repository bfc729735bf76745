/** Maximum bytes read of a response: interim responses, headers and body together. */
const MAX_ANSWER_BYTES = 64 * 1_024;
const KEPT_BYTES = 1_024;

/** How long a connection is kept by default and at most, in milliseconds. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 30_000;
/** How much earlier than the receiver we close the connection, in milliseconds. */
const KEEP_ALIVE_MARGIN_MS = 2_000;

const LF = 0x0a;
const HTTP = 'HTTP/1.';
const STATUS_LINE = /^HTTP\/1\.(\d)[ \t]+(\d{3})(?:[ \t]|$)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a header must not contain
const HEADER = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([^\x00-\x08\x0a-\x1f\x7f]*)$/;
const CHUNK_SIZE = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?$/;

type Part =
  | 'status line'
  | 'interim headers'
  | 'headers'
  | 'body'
  | 'chunk size'
  | 'chunk'
  | 'end of chunk'
  | 'trailers'
  | 'over';

/**
 * Reads one HTTP/1.1 response from the bytes of a connection. The first final status line decides, and nothing after it
 * changes the result: HTTP parsers reject whole responses for odd headers, long after the receiver has acted on the
 * request. The end of the response, and whether the connection can be kept, are parsed strictly. Anything irregular
 * ends the connection with the response.
 */
export class AnswerReader {
  #part: Part = 'status line';
  #line = '';
  #readBytes = 0;
  #bodyBytesLeft = Number.POSITIVE_INFINITY;
  #statusCode: number | undefined;
  #isOdd = false;
  #headers: [name: string, value: string][] = [];
  #kept: Buffer[] = [];
  #keptBytes = 0;

  /** The code in the final status line; undefined until there is one. */
  get statusCode(): number | undefined {
    return this.#statusCode;
  }

  /** Whether nothing more needs to be read: the response is complete, reached the limit, or is not HTTP. */
  get isOver(): boolean {
    return this.#part === 'over';
  }

  /** The first bytes of the body, at most 1,024, as they were received. */
  get bodyHead(): Buffer {
    return Buffer.concat(this.#kept);
  }

  /** How long the connection may be kept after this response, in milliseconds; 0 when it must be closed. */
  get keepAliveMs(): number {
    if (!this.isOver || this.#isOdd) return 0;
    const [seconds] = this.#values('keep-alive').flatMap(
      (value) => /\btimeout=(\d+)/i.exec(value)?.[1] ?? [],
    );
    if (seconds === undefined) return KEEP_ALIVE_MS;
    return Math.min(Math.max(Number(seconds) * 1_000 - KEEP_ALIVE_MARGIN_MS, 0), KEEP_ALIVE_MAX_MS);
  }

  /** Processes received bytes. */
  push(arrived: Buffer): void {
    const bytes = arrived.subarray(0, MAX_ANSWER_BYTES - this.#readBytes);
    this.#readBytes += bytes.length;
    let at = 0;
    while (at < bytes.length && !this.isOver) {
      at +=
        this.#part === 'body' || this.#part === 'chunk'
          ? this.#takeBody(bytes.subarray(at))
          : this.#take(bytes.subarray(at));
    }
    // More than was announced, or more than the limit.
    if (at < arrived.length || this.#readBytes >= MAX_ANSWER_BYTES) this.#breakOff();
  }

  /** Consumes up to one line, and returns its number of bytes. */
  #take(bytes: Buffer): number {
    const end = bytes.indexOf(LF);
    this.#line += bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
    if (end === -1) {
      if (this.#part === 'status line' && !mayBecomeStatusLine(this.#line)) this.#breakOff();
      return bytes.length;
    }
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    if (line.length === this.#line.length) this.#isOdd = true;
    this.#line = '';
    this.#takeLine(line);
    return end + 1;
  }

  #takeLine(line: string): void {
    switch (this.#part) {
      case 'status line':
        // Preceding empty lines are left over from a response whose length is off by one.
        if (line !== '' && !this.#takeStatusLine(line)) this.#breakOff();
        return;
      case 'interim headers':
        if (line === '') this.#part = 'status line';
        else this.#takeStatusLine(line);
        return;
      case 'headers':
        if (line === '') this.#startBody();
        else this.#takeHeader(line);
        return;
      case 'chunk size':
        this.#startChunk(CHUNK_SIZE.exec(line)?.[1]);
        return;
      case 'end of chunk':
        if (line === '') this.#part = 'chunk size';
        else this.#breakOff();
        return;
      case 'trailers':
        if (line === '') this.#part = 'over';
        return;
      default:
        throw new Error(`invariant violated: no line is read in ${this.#part}`);
    }
  }

  /**
   * Returns whether the line is a status line. 101 is not an interim response: it is followed by a protocol that was
   * not requested.
   */
  #takeStatusLine(line: string): boolean {
    const [, minor, code] = STATUS_LINE.exec(line) ?? [];
    if (code === undefined) return false;
    const status = Number(code);
    if (status === 101) this.#breakOff();
    else if (status >= 100 && status <= 199) this.#part = 'interim headers';
    else {
      this.#statusCode = status;
      if (minor === '0') this.#isOdd = true;
      this.#part = 'headers';
    }
    return true;
  }

  #takeHeader(line: string): void {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) this.#isOdd = true;
    else this.#headers.push([name.toLowerCase(), value.trim()]);
  }

  /** Returns the values of a header, with lists split into items. */
  #values(name: string): string[] {
    return this.#headers
      .flatMap(([each, value]) => (each === name ? value.split(',') : []))
      .map((value) => value.trim());
  }

  #startBody(): void {
    const encodings = this.#values('transfer-encoding');
    const lengths = this.#values('content-length');
    const [length] = lengths;
    const closes = this.#values('connection').some((value) => /^(close|upgrade)$/i.test(value));
    if (closes || lengths.length + encodings.length > 1) this.#isOdd = true;
    if (this.#statusCode === 204 || this.#statusCode === 304) {
      if (lengths.length + encodings.length > 0) this.#isOdd = true;
      this.#part = 'over';
    } else if (encodings.at(-1)?.toLowerCase() === 'chunked') this.#part = 'chunk size';
    else if (encodings.length === 0 && length !== undefined && /^\d{1,15}$/.test(length))
      this.#ofLength(Number(length));
    else {
      // The body ends with the connection.
      this.#isOdd = true;
      this.#part = 'body';
    }
  }

  #ofLength(bytes: number): void {
    this.#bodyBytesLeft = bytes;
    this.#part = bytes === 0 ? 'over' : 'body';
  }

  #startChunk(size: string | undefined): void {
    if (size === undefined) this.#breakOff();
    else {
      this.#bodyBytesLeft = Number.parseInt(size, 16);
      this.#part = this.#bodyBytesLeft === 0 ? 'trailers' : 'chunk';
    }
  }

  #takeBody(bytes: Buffer): number {
    const part = bytes.subarray(0, this.#bodyBytesLeft);
    const kept = Buffer.from(part.subarray(0, KEPT_BYTES - this.#keptBytes));
    if (kept.length > 0) this.#kept.push(kept);
    this.#keptBytes += kept.length;
    this.#bodyBytesLeft -= part.length;
    if (this.#bodyBytesLeft === 0) this.#part = this.#part === 'chunk' ? 'end of chunk' : 'over';
    return part.length;
  }

  #breakOff(): void {
    this.#isOdd = true;
    this.#part = 'over';
  }
}

function mayBecomeStatusLine(text: string): boolean {
  return text === '' || text === '\r' || text.startsWith(HTTP) || HTTP.startsWith(text);
}
