import { createHash } from 'node:crypto';
import { create, type DescMessage, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import type { Pool } from 'pg';
import type { SqlSession } from '../../data/postgres/index.ts';
import { RefusalCode, refusalOf, refuse } from '../refusal/index.ts';
import { callerOf, type RpcCall } from '../rpc-server/index.ts';
import {
  type CallDigests,
  findCall,
  forgetCall,
  insertCall,
  keepAnswer,
  type StoredCall,
} from './stored-call.ts';

/** A request with an optional idempotency key: empty for none. */
export type Keyed = Message & { readonly idempotencyKey: string };

type Handler<Request, Answer> = (request: Request, call: RpcCall) => Promise<Answer>;

/** Runs the act in a transaction. Repeated calls get the same result, so it must contain no secret. */
export type ActOnce<Session, Answer> = <Kept extends Answer>(
  act: (session: Session) => Promise<Kept>,
) => Promise<Kept>;

/** An act that involves another service: it begins in one transaction and ends in a later one. */
export interface ResumableAction<Session, Answer> {
  /** Runs `work` in a transaction, unless an interrupted call with the same key already has. */
  begin(work: (session: Session) => Promise<void>): Promise<void>;
  /** Returns the same id in each repeated call, for the other service. Undefined without a key. */
  id(): string | undefined;
  /** Stores the answer for repeated calls, in the given session or on its own. */
  end<Kept extends Answer>(answer: Kept, session?: Session): Promise<Kept>;
}

export interface IdempotentCallsOptions<Session> {
  readonly pool: Pool;
  readonly transact: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>;
}

/**
 * Wraps handlers of RPCs whose requests have an `idempotency_key`. Calls repeated with the same key act once and get
 * the first answer, for seven days. A key belongs to its caller and RPC. Using it with a different request throws
 * IDEMPOTENCY_CONFLICT; the approval that a request names does not count as a difference. A refused call leaves its key
 * unused.
 */
export interface IdempotentCalls<Session> {
  /** Wraps a handler whose act is one transaction. */
  once<Request extends Keyed, Answer extends object>(
    handler: (request: Request, call: RpcCall, act: ActOnce<Session, Answer>) => Promise<Answer>,
  ): Handler<Request, Answer>;
  /** Wraps a handler whose act has several steps: a repeated call resumes an interrupted one. */
  resumable<Request extends Keyed, Answer extends object>(
    handler: (request: Request, call: RpcCall, act: ResumableAction<Session, Answer>) => Promise<Answer>,
  ): Handler<Request, Answer>;
}

/** Ends a handler whose call was already answered. */
class AlreadyAnswered extends Error {
  readonly answer: Uint8Array;
  constructor(answer: Uint8Array) {
    super('the call was already answered');
    this.answer = answer;
  }
}

/** Opens the idempotency keys stored in a service's database. */
export function openIdempotentCalls<Session extends SqlSession>({
  pool,
  transact,
}: IdempotentCallsOptions<Session>): IdempotentCalls<Session> {
  return {
    once: (handler) => async (request, call) => {
      if (request.idempotencyKey === '') return handler(request, call, transact);
      const digests = digestsOf(request, call);
      return answered(call, digests, () =>
        handler(request, call, (act) =>
          transact(async (session) => {
            const { id } = await enter(session, digests);
            const kept = await act(session);
            await keepAnswer(session, digests, id, binaryOf(call, kept));
            return kept;
          }),
        ),
      );
    },

    resumable: (handler) => async (request, call) => {
      if (request.idempotencyKey === '') {
        const begin = async (work: (session: Session) => Promise<void>) => transact(work);
        return handler(request, call, { begin, id: () => undefined, end: async (answer) => answer });
      }
      const digests = digestsOf(request, call);
      return answered(call, digests, (found) => {
        let started = found;
        return handler(request, call, {
          async begin(work) {
            started ??= await transact(async (session) => {
              const { row, isNew } = await enter(session, digests);
              if (isNew) await work(session);
              return row;
            });
          },
          id: () => started?.id,
          async end(answer, session) {
            if (started) await keepAnswer(session ?? pool, digests, started.id, binaryOf(call, answer));
            return answer;
          },
        });
      });
    },
  };

  /** Returns the stored answer of the call, or runs `act`. */
  async function answered<Answer extends object>(
    call: RpcCall,
    digests: CallDigests,
    act: (started: StoredCall | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    const found = await findCall(pool, digests);
    try {
      if (found) refuseUnlessSame(found, digests);
      if (found?.answer) throw new AlreadyAnswered(found.answer);
      return await act(found);
    } catch (error) {
      if (error instanceof AlreadyAnswered) return messageOf<Answer>(call, error.answer);
      // A simultaneous call may have completed the act meanwhile, which would explain the refusal.
      const later = isFinal(error) ? await findCall(pool, digests) : undefined;
      if (later && isSame(later, digests)) {
        if (later.answer) return messageOf<Answer>(call, later.answer);
        await forgetCall(pool, digests, later.id);
      }
      throw error;
    }
  }
}

/** Inserts the call first, so that a simultaneous one waits for the end of this transaction. */
async function enter(session: SqlSession, digests: CallDigests) {
  const entered = await insertCall(session, digests);
  const row = entered ?? (await findCall(session, digests));
  if (!row) throw new Error('invariant violated: a key is taken by no call');
  refuseUnlessSame(row, digests);
  if (row.answer) throw new AlreadyAnswered(row.answer);
  return { row, id: row.id, isNew: entered !== undefined };
}

const isSame = (row: StoredCall, { request }: CallDigests): boolean =>
  request.equals(Buffer.from(row.request_sha256));

function refuseUnlessSame(row: StoredCall, digests: CallDigests): void {
  if (isSame(row, digests)) return;
  throw refuse(
    RefusalCode.IDEMPOTENCY_CONFLICT,
    'The idempotency key was used with a different request. Repeat that request, or use a new key.',
  );
}

/** Returns whether the error is a refusal that a retry would not change. */
function isFinal(error: unknown): boolean {
  const code = refusalOf(error)?.code;
  return code !== undefined && code !== RefusalCode.SERVICE_UNAVAILABLE;
}

/** Leaves the approval out of the digest: it names who agreed to the act, and the repeated call may have used it up. */
function digestsOf(request: Keyed, call: RpcCall): CallDigests {
  const { issuer, subject } = callerOf(call);
  const { input, parent, name } = call.method;
  const plain = create(input, { ...request, idempotencyKey: '', approvalId: '' } as never);
  return {
    key: sha256(JSON.stringify([issuer, subject, `${parent.typeName}/${name}`, request.idempotencyKey])),
    request: sha256(toBinary(input as DescMessage, plain)),
  };
}

const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

const binaryOf = ({ method }: RpcCall, answer: object): Uint8Array =>
  toBinary(method.output as DescMessage, create(method.output, answer as never));

const messageOf = <Answer>({ method }: RpcCall, answer: Uint8Array): Answer =>
  fromBinary(method.output as DescMessage, answer) as Answer;
