/** More than the largest backlog needs. */
const MAX_CALLS = 1_000;

/**
 * Repeats a call while it returns that there is more, each with its own idempotency key, and returns all answers. After
 * an error, the same key gets the earlier answers again and continues.
 */
export async function untilDone<Answer extends { readonly more: boolean }>(
  idempotencyKey: string,
  call: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let number = 1; number <= MAX_CALLS; number += 1) {
    const answer = await call(`${idempotencyKey} ${number}`);
    answers.push(answer);
    if (!answer.more) break;
  }
  return answers;
}
