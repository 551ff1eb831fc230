// As it is deployed when nothing is asked for.
using '../main.bicep'

param prefix = 'fixit'
param location = 'westeurope'
