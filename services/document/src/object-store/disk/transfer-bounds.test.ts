import type { Socket } from 'node:net';
import { cutWhenSlow, places } from './transfer-bounds.ts';

describe('cutWhenSlow', () => {
  const bounds = { minBytesPerSecond: 100, windowMs: 2_000 };
  const socket = { bytesRead: 0, bytesWritten: 0, destroy: jest.fn() };
  let stop: () => void;
  beforeEach(() => {
    jest.useFakeTimers();
    Object.assign(socket, { bytesRead: 5_000, bytesWritten: 0 });
    socket.destroy.mockClear();
    stop = cutWhenSlow(socket as unknown as Socket, bounds);
  });
  afterEach(() => {
    stop();
    jest.useRealTimers();
  });

  it.each(['bytesRead', 'bytesWritten'] as const)(
    'keeps a transfer that moves enough in each window: %s',
    (direction) => {
      for (let window = 0; window < 10; window += 1) {
        socket[direction] += 200;
        jest.advanceTimersByTime(bounds.windowMs);
      }
      expect(socket.destroy).not.toHaveBeenCalled();
    },
  );

  it('cuts a transfer at the end of the first slow window, however much moved earlier', () => {
    socket.bytesRead += 1_000_000;
    jest.advanceTimersByTime(bounds.windowMs);
    socket.bytesRead += 199;
    jest.advanceTimersByTime(bounds.windowMs - 1);
    expect(socket.destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(socket.destroy).toHaveBeenCalledTimes(1);
  });

  it('does not cut a transfer that has ended', () => {
    stop();
    jest.advanceTimersByTime(10 * bounds.windowMs);
    expect(socket.destroy).not.toHaveBeenCalled();
  });
});

it('places counts by name and releases each place once', () => {
  const { take } = places();
  const [one, two] = [take('a', 2), take('a', 2)];
  expect(take('a', 2)).toBeUndefined();
  expect(take('b', 1)).toBeDefined();
  one?.();
  expect(take('a', 2)).toBeDefined();
  expect(take('a', 2)).toBeUndefined();
  two?.();
  expect(take('a', 2)).toBeDefined();
});
