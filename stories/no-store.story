# Without a store, the error says how to create one.
# On a file.
$ ambit where
? 3
error: no store was found here or in a folder above
hint: `ambit init` creates one here; --store or AMBIT_STORE names another
