export { closeLingering } from './close-lingering.ts';
export { type DiscardBounds, discardUnreadBody } from './discard-unread-body.ts';
