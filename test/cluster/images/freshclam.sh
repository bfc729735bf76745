#!/bin/sh
# In place of the program that fetches signatures from the internet.
case "$*" in
*--daemon*) exec sleep infinity ;;
*) cp /signatures/local.ndb /var/lib/clamav/ ;;
esac
